import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { Asked } from "../../../schema/api/assessment/questions.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { type CartridgeVersion, type ContentTypeName, questionScorings } from "../../../schema/enums.ts";
import { pictureIdsIn } from "../../assessment/picture-ids.ts";
import { coursePermissionCondition } from "../../courses/course-permissions.ts";
import { explainCourseRefusal } from "../../courses/courses.ts";
import { ensureDrawnPoolsReadable, readableDrawnPoolsCondition } from "../../courses/question-pools.ts";
import type { ReadDeps } from "../../deps.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type WrittenEntry, writeZip } from "../../platform/readers/zip-writer.ts";
import { type CartridgeXmlNames, cartridgeXmlNamesForVersion } from "./cartridge-names.ts";
import {
  itemIdsLinkedIn,
  linkTargetOfResource,
  placeholderLinkUrl,
  replaceItemLinksWithUrls,
} from "./links.ts";
import { type ModuleDates, moduleDatesFileName } from "./module-dates.ts";
import { filePathKey } from "./parse-native-item.ts";
import { replacePictureIdsWithPaths } from "./question-pictures.ts";
import { nativeItemFileName } from "./resources.ts";
import { buildToolLinkXml } from "./tool-link.ts";
import {
  buildManifestXml,
  type ManifestItem,
  type WrittenModule,
  type WrittenResource,
} from "./write-manifest.ts";
import { buildPageHtml } from "./write-page.ts";
import { buildQtiQuizXml } from "./write-quiz.ts";
import { element, xmlOf } from "./xml.ts";

type Parts = Pick<ReadDeps, "db" | "fileStore">;

const Outline = z.object({
  id: z.int(),
  university_id: z.int(),
  title: z.string(),
  code: z.string(),
  modules: z.array(
    z.object({
      id: z.int(),
      parent: z.int().nullable(),
      type: z.string(),
      title: z.string(),
      description: z.string().nullable(),
      available_from: z.string().nullable(),
      due_at: z.string().nullable(),
    }),
  ),
  items: z.array(z.object({ id: z.int(), module: z.int() })),
});

type Outline = z.output<typeof Outline>;

type Json = Record<string, unknown>;

const Item = z.object({
  id: z.int(),
  type: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  estimated_duration_seconds: z.int().nullable(),
  available_from: z.string().nullable(),
  due_at: z.string().nullable(),
  data_json: z.record(z.string(), z.unknown()),
});

type Item = z.output<typeof Item>;

/** On `courses` that the caller may export in full, with the keys of quizzes. */
const mayExport = (actor: Actor, courseId: number) =>
  and(
    eq(courses.id, courseId),
    coursePermissionCondition(actor, "content:write"),
    coursePermissionCondition(actor, "key:read"),
  );

/**
 * Streams a course as a Common Cartridge; our import restores the same tree. Omits notes for the tutor,
 * environments of labs, which may hold secrets, and inactive content. 404 or 403 without the right to write
 * content and read keys, 400 if a quiz draws from a pool that the caller may not read.
 */
export async function exportCartridge(
  parts: Parts,
  actor: Actor,
  courseId: number,
  version: CartridgeVersion,
): Promise<{ name: string; chunks: AsyncGenerator<Uint8Array> }> {
  const [outline] = await rowsOf(
    parts.db,
    Outline,
    sql`
      select courses.id, courses.university_id, courses.title, courses.code,
        coalesce((
          select json_agg(json_build_object('id', id, 'parent', parent_module_id, 'type', module_type, 'title', title, 'description', description,
              'available_from', available_from, 'due_at', due_at) order by depth, sequence_index)
          from modules where course_id = courses.id), '[]') as modules,
        coalesce((
          select json_agg(json_build_object('id', id, 'module', module_id) order by sequence_index)
          from content_items where course_id = courses.id and is_active and not data_json ? 'line_item'), '[]') as items
      from courses where ${mayExport(actor, courseId)} and ${readableDrawnPoolsCondition(actor)}`,
  );
  if (!outline) {
    await ensureDrawnPoolsReadable(parts.db as never, actor, mayExport(actor, courseId));
    return explainCourseRefusal(parts.db, actor, courseId);
  }
  return {
    name: `${outline.code}.imscc`,
    chunks: writeZip(entriesOf(parts, outline, cartridgeXmlNamesForVersion(version))),
  };
}

type Taken = { path: string; key: string; identifier: string; isPacked: boolean };

async function* entriesOf(
  parts: Parts,
  outline: Outline,
  names: CartridgeXmlNames,
): AsyncGenerator<WrittenEntry> {
  const resources: WrittenResource[] = [];
  const files = new Map<number, Taken>();
  const written = new Map<number, ManifestItem>();
  for (const { id } of outline.items) {
    const item = await itemOf(parts, outline, id);
    if (!item) continue;
    const { resource, texts } = await resourceOf(parts, outline, item, files, names);
    resources.push(resource);
    written.set(id, { identifier: `item-${id}`, title: item.title, resource: resource.identifier });
    for (const { name, text } of texts) yield { name, content: chunk(text) };
  }
  for (const { path, key, identifier, isPacked } of files.values()) {
    resources.push({ identifier, type: "webcontent", files: [path] });
    yield { name: path, content: stored(parts, key), isPacked };
  }
  const dates = datesOfModules(outline);
  if (Object.keys(dates).length > 0)
    yield { name: moduleDatesFileName, content: chunk(JSON.stringify(dates)) };
  const manifest = buildManifestXml(
    { identifier: `course-${outline.id}`, title: outline.title },
    tree(outline, written),
    resources,
    names,
  );
  yield { name: "imsmanifest.xml", content: chunk(manifest) };
}

async function itemOf({ db }: Parts, outline: Outline, id: number): Promise<Item | undefined> {
  const [item] = await rowsOf(
    db,
    Item,
    sql`select content_items.id, content_types.name as type, title, content_items.description, estimated_duration_seconds,
          to_json(available_from) #>> '{}' as available_from, to_json(due_at) #>> '{}' as due_at, data_json
        from content_items join content_types on content_types.id = content_type_id
        where content_items.id = ${id} and course_id = ${outline.id} and is_active`,
  );
  return item;
}

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* stored({ fileStore }: Parts, key: string): AsyncGenerator<Uint8Array> {
  const stream = await fileStore.read(key);
  if (!stream) throw new Error("a file of a course is not in the store");
  yield* stream;
}

const moduleIdentifier = ({ id, type }: Outline["modules"][number]): string => `module-${type}-${id}`;

const datesOfModules = ({ modules }: Outline): ModuleDates =>
  Object.fromEntries(
    modules.flatMap((module) => {
      const { available_from, due_at } = module;
      return (available_from ?? due_at) ? [[moduleIdentifier(module), { available_from, due_at }]] : [];
    }),
  );

function tree({ modules, items }: Outline, written: ReadonlyMap<number, ManifestItem>): WrittenModule[] {
  const below = (parent: number | null): WrittenModule[] =>
    modules
      .filter((one) => one.parent === parent)
      .map((one) => ({
        identifier: moduleIdentifier(one),
        title: one.title,
        description: one.description,
        items: items.filter(({ module }) => module === one.id).flatMap((item) => written.get(item.id) ?? []),
        modules: below(one.id),
      }));
  return below(null);
}

type Written = { resource: WrittenResource; texts: { name: string; text: string }[] };

async function resourceOf(
  parts: Parts,
  outline: Outline,
  item: Item,
  files: Map<number, Taken>,
  names: CartridgeXmlNames,
): Promise<Written> {
  const type = item.type as ContentTypeName;
  const folder = `item-${item.id}`;
  const data = await withPaths(parts.db, outline, item, files);
  const identifier = `resource-${item.id}`;
  const paths = await pathsOfLinked(parts, outline, data);
  // Other programs follow paths; our import resolves `cartridge:` links, also to later items.
  const shown = replaceItemLinksWithUrls(
    data,
    (id) => paths.get(id) && `cartridge:${encodeURI(paths.get(id) ?? "")}`,
  );
  const kept = replaceItemLinksWithUrls(data, (id) =>
    paths.has(id) ? placeholderLinkUrl(linkTargetOfResource(`resource-${id}`)) : undefined,
  );
  const own = { name: `${folder}/${nativeItemFileName}`, text: ownOf(item, kept) };
  const simple = simpleOf(item, data);
  if (simple)
    return {
      resource: { identifier, type: names.types.webLink, files: [`${folder}/link.xml`] },
      texts: [{ name: `${folder}/link.xml`, text: linkOf(item.title, simple.url, names.webLink) }],
    };
  if (type === "external_tool") {
    const name = `${folder}/link.xml`;
    return {
      resource: { identifier, type: names.types.toolLink, files: [name, own.name] },
      texts: [{ name, text: buildToolLinkXml(item, await launchUrlOf(parts.db, data), names.toolLink) }, own],
    };
  }
  const dependencies = dependenciesOf(data, files);
  if (type === "quiz") {
    const asked = await questionsOf(parts.db, item);
    if (asked.length > 0) {
      await takeFiles(parts.db, outline, pictureIdsIn(asked), files);
      const questions = replacePictureIdsWithPaths(asked, (id) => files.get(id)?.path);
      const name = `${folder}/assessment_qti.xml`;
      return {
        resource: {
          ...{ identifier, type: names.types.quiz, files: [name, own.name] },
          dependencies: pictureIdsIn(asked).flatMap((id) => files.get(id)?.identifier ?? []),
        },
        texts: [
          {
            name,
            text: buildQtiQuizXml({
              ...{ identifier, title: item.title, ...limitsOf(data), questions },
              schema: names.quizSchema,
            }),
          },
          own,
        ],
      };
    }
  }
  if (type === "assignment") {
    const name = `${folder}/assignment.xml`;
    return {
      resource: { identifier, type: "assignment_xmlv1p0", files: [name, own.name], dependencies },
      texts: [{ name, text: assignmentOf(identifier, item, shown) }, own],
    };
  }
  const name = `${folder}/index.html`;
  return {
    resource: { identifier, type: "webcontent", files: [name, own.name], dependencies },
    texts: [{ name, text: buildPageHtml(item.title, shown, "../") }, own],
  };
}

async function pathsOfLinked(parts: Parts, outline: Outline, data: Json): Promise<Map<number, string>> {
  const paths = new Map<number, string>();
  const there = new Set(outline.items.map(({ id }) => id));
  for (const id of itemIdsLinkedIn(data)) {
    const item = there.has(id) ? await itemOf(parts, outline, id) : undefined;
    if (item) paths.set(id, `item-${id}/${await fileOfItem(parts.db, item)}`);
  }
  return paths;
}

async function fileOfItem(db: ReadDb, item: Item): Promise<string> {
  if (simpleOf(item, item.data_json) || item.type === "external_tool") return "link.xml";
  if (item.type === "quiz" && (await questionsOf(db, item)).length > 0) return "assessment_qti.xml";
  return item.type === "assignment" ? "assignment.xml" : "index.html";
}

/** Common Cartridge can represent one link, or one video of a known platform. */
function simpleOf(item: Item, data: Json): { url: string } | undefined {
  if (item.description ?? item.estimated_duration_seconds ?? item.available_from ?? item.due_at)
    return undefined;
  const has = (thing: Json, keys: string[]) =>
    Object.keys(thing).toSorted().join() === keys.toSorted().join();
  if (item.type === "video" && has(data, ["provider", "video_id", "url"]) && data["provider"] !== "internal")
    return { url: String(data["url"]) };
  if (item.type !== "resource" || !has(data, ["resources"]) || !Array.isArray(data["resources"]))
    return undefined;
  const [only, ...others] = data["resources"] as Json[];
  if (!only || others.length > 0 || only["label"] !== item.title) return undefined;
  if (has(only, ["label", "url"])) return { url: String(only["url"]) };
  return undefined;
}

const ownOf = ({ id: ___, ...item }: Item, data: Json): string => {
  const { env: _, question_pool_id: __, lti_tool_id: ____, ...data_json } = data;
  // Escapes markup in case a program shows the file as a page.
  return JSON.stringify({ ...item, data_json }).replaceAll("<", "\\u003c");
};

const ToolUrl = z.object({ launch_url: z.string() });

/** The item's own address, or its tool's. Empty without a tool. */
async function launchUrlOf(db: ReadDb, { url, lti_tool_id }: Json): Promise<string> {
  if (typeof url === "string") return url;
  const id = typeof lti_tool_id === "number" ? lti_tool_id : null;
  const [tool] = await rowsOf(db, ToolUrl, sql`select launch_url from lti_tools where id = ${id}::int`);
  return tool?.launch_url ?? "";
}

const linkOf = (title: string, url: string, namespace: string): string =>
  xmlOf(element("webLink", { xmlns: namespace }, element("title", {}, title), element("url", { href: url })));

function assignmentOf(identifier: string, item: Item, data: Json): string {
  const { grading } = data as { grading?: { max_points?: number } };
  const points = typeof data["max_points"] === "number" ? data["max_points"] : grading?.max_points;
  return xmlOf(
    element(
      "assignment",
      { xmlns: "http://www.imsglobal.org/xsd/imscc_extensions/assignment", identifier },
      element("title", {}, item.title),
      element("text", { texttype: "text/html" }, buildPageHtml(item.title, data, "../")),
      element(
        "gradable",
        points === undefined ? {} : { points_possible: String(points) },
        points === undefined ? "false" : "true",
      ),
      element(
        "submission_formats",
        {},
        element("format", { type: "file" }),
        element("format", { type: "text" }),
      ),
    ),
  );
}

function limitsOf(data: Json): { maxAttempts: number | null; timeLimitSeconds: number | null } {
  const { mastery, time_limit_seconds } = data as {
    mastery?: { max_attempts?: number | null };
    time_limit_seconds?: number | null;
  };
  return { maxAttempts: mastery?.max_attempts ?? null, timeLimitSeconds: time_limit_seconds ?? null };
}

const Asks = z.object({
  id: z.int(),
  kind: z.string(),
  question_text: z.string(),
  options: z.array(z.object({ id: z.string(), text: z.string() })).nullable(),
  answer: z.record(z.string(), z.unknown()),
  explanation: z.string().nullable(),
  points: z.number(),
  scoring: z.enum(questionScorings),
});

async function questionsOf(db: ReadDb, item: Item): Promise<(Asked & { id: number })[]> {
  const pool = item.data_json["question_pool_id"];
  if (!Number.isSafeInteger(pool)) return [];
  const rows = await rowsOf(
    db,
    Asks,
    sql`select questions.id, upper(kind) as kind, question_text, options_json as options, answer_json as answer, explanation, points::float8 as points, scoring
        from questions where question_pool_id = ${pool} and is_active order by questions.id limit 1000`,
  );
  return rows as (Asked & { id: number })[];
}

const FileOf = z.object({ id: z.int(), key: z.string(), name: z.string(), media_type: z.string() });
const AssetOf = z.object({ id: z.int(), file_id: z.int().nullable(), url: z.string().nullable() });

/** Replaces file ids by archive paths; adds the files to the archive. Assets become files. */
async function withPaths(db: ReadDb, outline: Outline, item: Item, files: Map<number, Taken>): Promise<Json> {
  const { university_id } = outline;
  const [assetIds, fileIds] = [idsIn(item.data_json, "asset_id"), idsIn(item.data_json, "file_id")];
  const assets = new Map<number, z.output<typeof AssetOf>>();
  if (assetIds.length > 0)
    for (const asset of await rowsOf(
      db,
      AssetOf,
      sql`select id, file_id::float8 as file_id, url from assets where id = any(${sql.param(assetIds)}::int[]) and coalesce(university_id, ${university_id}) = ${university_id}`,
    ))
      assets.set(asset.id, asset);
  const ids = [...fileIds, ...[...assets.values()].flatMap(({ file_id }) => file_id ?? [])];
  await takeFiles(db, outline, ids, files);
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    const { asset_id, file_id, ...rest } = value as Json;
    const asset = assets.get(Number(asset_id));
    const file = files.get(Number(file_id ?? asset?.file_id));
    const kept = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, replaced(inner)]));
    if (file) return { ...kept, [filePathKey]: file.path };
    if (asset?.url && kept["type"] === "image")
      return {
        type: "paragraph",
        text: `![${String(kept["caption"] ?? "").replaceAll(/[[\]]/g, "")}](${encodeURI(asset.url)})`,
      };
    return kept;
  };
  return replaced(item.data_json) as Json;
}

/** Adds the university's files to the archive. */
async function takeFiles(
  db: ReadDb,
  { university_id }: Outline,
  ids: readonly number[],
  files: Map<number, Taken>,
): Promise<void> {
  const wanted = ids.filter((id) => !files.has(id));
  if (wanted.length === 0) return;
  for (const { id, key, name, media_type } of await rowsOf(
    db,
    FileOf,
    sql`select files.id::float8 as id, stored_objects.key, files.name, files.media_type
        from files join stored_objects on stored_objects.id = files.object_id
        where files.id = any(${sql.param(wanted)}::bigint[]) and files.state = 'ready' and files.university_id = ${university_id}`,
  ))
    files.set(id, {
      path: `files/${id}/${nameInArchive(name)}`,
      key,
      identifier: `file-${id}`,
      isPacked: !/^(text\/|application\/(json|xml))/.test(media_type),
    });
}

/** Removes characters that file systems or archives do not allow. */
const nameInArchive = (name: string): string =>
  name.replaceAll(/[\p{Cc}/\\:*?"<>|#%]/gu, "_").replace(/^\.+/, "_") || "file";

function idsIn(value: unknown, name: string): number[] {
  if (Array.isArray(value)) return value.flatMap((one) => idsIn(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === name && Number.isSafeInteger(inner) ? [Number(inner)] : idsIn(inner, name),
  );
}

const dependenciesOf = (data: Json, files: ReadonlyMap<number, Taken>): string[] => {
  const text = JSON.stringify(data);
  return [...files.values()]
    .filter(({ path }) => text.includes(JSON.stringify(path)))
    .map(({ identifier }) => identifier);
};
