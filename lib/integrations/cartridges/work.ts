import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { badRequest, HttpError } from "../../errors.ts";
import { HeldRole } from "../../identity/rbac/policy.ts";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { isDatabaseUnavailable } from "../../platform/db/unavailable.ts";
import { decodeText, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import { createReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import {
  decodeStoredReason,
  encodeStoredReason,
  httpErrorToStoredReason,
  type StoredReason,
} from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { type Archive, fileStoreRandomAccess, openArchive } from "./archive.ts";
import { canvasStateFileNames } from "./canvas-states.ts";
import { type ConvertedPart, convertCartridgePart, type PartToConvert } from "./convert.ts";
import { importScormPackage } from "./import-scorm-package.ts";
import { importCartridgePermissionCondition } from "./imports.ts";
import { endCartridgeImportQuery, leaseImportCtes } from "./lease.ts";
import { resolveLinksBetweenItems } from "./link-items.ts";
import { moduleDatesFileName, readModuleDates } from "./module-dates.ts";
import type { CartridgePlan } from "./plan.ts";
import type { ParsedPart, PartParserInput } from "./read-part.ts";
import { RefusedPartError } from "./refused-part.ts";
import { storeFile } from "./store-file.ts";
import { findToolIdByHost } from "./tool-link.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now" | "log">;

/** Longer than the largest file takes. */
const leaseMilliseconds = 15 * 60 * 1000;

const maxCartridgePartTries = 4;

const maxCartridgeManifestBytes = 8_000_000;

const cartridgeReader = new URL("./cartridge-reader.ts", import.meta.url);

/** Parts are not urgent. */
const threads = createReaderThreadPool(
  {
    threads: 1,
    files: 1000,
    waitSeconds: 10,
    waitingFiles: 1000,
    seconds: 20,
    timeoutSeconds: 120,
    megabytes: 192,
  },
  () => true,
);

const read = (given: PartParserInput): Promise<ParsedPart> =>
  threads.read<ParsedPart>(cartridgeReader, given, 0);

const Claimed = z.object({
  id: z.int(),
  course_id: z.int(),
  university_id: z.int(),
  person: z.int().nullable(),
  is_dry_run: z.boolean(),
  is_listed: z.boolean(),
  tries: z.int(),
  key: z.string().nullable(),
  size: z.int().nullable(),
  language: z.string().nullable(),
  course_title: z.string(),
  roles: z.array(HeldRole),
});

type Claimed = z.output<typeof Claimed>;

const Waiting = z.object({
  id: z.int(),
  kind: z.string(),
  identifier: z.string(),
  title: z.string(),
  details: z.record(z.string(), z.unknown()),
  is_last: z.boolean(),
  tries: z.int(),
  is_used: z.boolean(),
});

/** Processes imports until the signal stops it. Concurrent workers take different imports. */
export async function processCartridgeImports(
  parts: Parts,
  signal: AbortSignal,
): Promise<{ worked: number }> {
  let worked = 0;
  while (!signal.aborted) {
    const one = await claim(parts);
    if (!one) break;
    try {
      await work(parts, one, signal);
      worked += 1;
    } catch (error) {
      if (error instanceof HttpError && error.status === 400)
        await end(parts, one, httpErrorToStoredReason(error));
      else await postpone(parts, one, error, signal);
    }
    if (signal.aborted) await lease(parts, one, 0);
  }
  return { worked };
}

const later = (now: Date, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString();

async function claim({ db, now }: Parts): Promise<Claimed | undefined> {
  const at = now();
  const [one] = await rowsOf(
    db,
    Claimed,
    sql`
      with ${leaseImportCtes(at.toISOString(), later(at, leaseMilliseconds))}
      select one.id, one.course_id, one.university_id, one.created_by_user_id as person, one.is_dry_run,
        one.listed_at is not null as is_listed, one.tries, stored_objects.key, stored_objects.size::float8 as size,
        courses.language_code as language, courses.title as course_title,
        coalesce((
          select json_agg(json_build_object(
            'role', role, 'university_id', held.university_id, 'department_id', department_id, 'course_id', held.course_id))
          from held_roles as held where held.user_id = one.created_by_user_id), '[]'::json) as roles
      from leased as one
      join courses on courses.id = one.course_id
      left join files on files.id = one.file_id and files.state = 'ready' and files.erased_at is null
      left join stored_objects on stored_objects.id = files.object_id`,
  );
  return one;
}

const lease = ({ db, now }: Parts, { id }: Claimed, milliseconds: number) =>
  db.execute(
    sql`update cartridge_imports set leased_until = ${later(now(), milliseconds)} where id = ${id} and ended_at is null`,
  );

const end = ({ db, now }: Parts, { id }: Claimed, why: StoredReason | null) =>
  db.execute(endCartridgeImportQuery(id, why, now().toISOString()));

async function postpone(parts: Parts, one: Claimed, error: unknown, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  parts.log.warn(
    { cartridge_import: one.id, reason: String(error) },
    "a cartridge import could not continue",
  );
  const isPassing = isDatabaseUnavailable(error) || (error instanceof HttpError && error.status === 503);
  if (!isPassing && one.tries >= maxCartridgePartTries)
    await end(parts, one, encodeStoredReason("cartridge_part_failed"));
  else await lease(parts, one, Math.min(60, 2 ** one.tries) * 5000);
}

async function work(parts: Parts, one: Claimed, signal: AbortSignal): Promise<void> {
  if (one.key === null || one.size === null) throw badRequest("cartridge_file_gone");
  const caller: RoleHolder = one.person === null ? undefined : { id: one.person, roles: one.roles };
  const archive = await openArchive(fileStoreRandomAccess(parts.fileStore, one.key, one.size));
  if (!one.is_listed) await list(parts, one, archive);
  while (!signal.aborted) {
    const part = await next(parts, one);
    if (!part) {
      await resolveLinksBetweenItems(parts.db, one, caller, signal);
      return void (signal.aborted || (await end(parts, one, null)));
    }
    await write(parts, one, caller, part, await converted(parts, one, archive, part));
  }
}

const further: Record<string, string> = { de: "Weiteres Material", es: "Más material" };

async function list({ db, now }: Parts, one: Claimed, archive: Archive): Promise<void> {
  const name = "imsmanifest.xml";
  if (!archive.names.includes(name)) throw badRequest("cartridge_manifest_missing");
  const text = await manifestText(archive, name);
  const titles = {
    untitled: one.course_title,
    further: further[one.language?.slice(0, 2) ?? ""] ?? "Further material",
  };
  const dates = archive.names.includes(moduleDatesFileName)
    ? readModuleDates(await archive.bytes(moduleDatesFileName, maxCartridgeManifestBytes))
    : {};
  const states: string[] = [];
  for (const file of canvasStateFileNames)
    if (archive.names.includes(file)) states.push(await manifestText(archive, file));
  const said = await read({ manifest: { text, names: archive.names, titles, dates, states } });
  if (!("plan" in said)) throw new Error("the reader returned no plan for a manifest");
  const plan = withRefused(said.plan, archive);
  await db.execute(insertPlannedPartsQuery(one.id, storable(plan), now().toISOString()));
}

async function manifestText(archive: Archive, name: string): Promise<string> {
  try {
    return decodeText(await archive.bytes(name, maxCartridgeManifestBytes)).text;
  } catch (error) {
    if (error instanceof RefusedPartError)
      throw badRequest("cartridge_manifest_unreadable", { fault: decodeStoredReason(error.reason).reason });
    if (error instanceof UndecodableTextError)
      throw badRequest("cartridge_manifest_unreadable", { fault: error.message });
    throw error;
  }
}

/** Once: a concurrent call waits and then finds it listed. */
export const insertPlannedPartsQuery = (importId: number, plan: string, moment: string): SQL => sql`
  with held as (
    select id from cartridge_imports where id = ${importId} and listed_at is null for no key update
  ), listed as (
    insert into cartridge_parts
      (import_id, number, parent_number, kind, identifier, title, details, is_last, outcome, reason, left_out)
    select held.id, part.ordinality - 1, (value ->> 'parent')::integer, value ->> 'kind', value ->> 'identifier',
      value ->> 'title', value -> 'details', coalesce((value -> 'details' ->> 'is_lazy')::boolean, false),
      value -> 'refusal' ->> 'outcome', value -> 'refusal' ->> 'reason',
      array(select jsonb_array_elements_text(coalesce(value -> 'refusal' -> 'left_out', '[]')))
    from held, jsonb_array_elements(${plan}::jsonb -> 'parts') with ordinality as part order by part.ordinality
  )
  update cartridge_imports as one
  set listed_at = ${moment}::timestamptz, cartridge_version = ${plan}::jsonb ->> 'version',
      title = ${plan}::jsonb ->> 'title', tries = 0
  from held where one.id = held.id`;

function withRefused(plan: CartridgePlan, archive: Archive): CartridgePlan {
  const refused = archive.refused.slice(0, 1000).map(({ name, fault }) => ({
    kind: "file" as const,
    identifier: "",
    title: truncate(name || "?", 255),
    parent: null,
    details: { path: truncate(name, 1000) },
    refusal: { outcome: "refused" as const, reason: encodeStoredReason(fault) },
  }));
  const faults = new Map(archive.refused.map(({ name, fault }) => [name, encodeStoredReason(fault)]));
  const parts = plan.parts.map((part) => {
    const reason = faults.get(part.details.path ?? "");
    return reason ? { ...part, refusal: { outcome: "refused" as const, reason } } : part;
  });
  const told = new Set(parts.map(({ details }) => details.path));
  return { ...plan, parts: [...parts, ...refused.filter(({ details }) => !told.has(details.path))] };
}

const storable = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    typeof one === "string" ? one.toWellFormed().replaceAll("\0", "") : one,
  );

async function next(parts: Parts, { id }: Claimed) {
  const [part] = await rowsOf(
    parts.db,
    Waiting,
    sql`
      with renewed as (
        update cartridge_imports set leased_until = ${later(parts.now(), leaseMilliseconds)} where id = ${id} and ended_at is null
      ), next as (
        select part.id from cartridge_parts as part where import_id = ${id} and outcome is null order by is_last, number limit 1
      )
      update cartridge_parts as part set tries = part.tries + 1
      from next where part.id = next.id
      returning part.id::float8 as id, kind, identifier, title, details, is_last, part.tries,
        part.module_id is not null or exists (
          select from cartridge_parts as inner_part
          where inner_part.import_id = part.import_id and inner_part.parent_number = part.number
            and inner_part.outcome in ('created', 'partly')) as is_used`,
  );
  return part;
}

type Next = NonNullable<Awaited<ReturnType<typeof next>>>;

async function converted(parts: Parts, one: Claimed, archive: Archive, part: Next): Promise<ConvertedPart> {
  if (part.is_last)
    return part.is_used
      ? { outcome: "created", became: ["module"] }
      : { outcome: "ignored", reason: encodeStoredReason("cartridge_shown_elsewhere") };
  if (part.tries > maxCartridgePartTries)
    return { outcome: "refused", reason: encodeStoredReason("cartridge_part_failed") };
  const at = { importId: one.id, university: one.university_id, isDryRun: one.is_dry_run };
  const shown = shownBefore(one.id);
  try {
    return await convertCartridgePart(part as PartToConvert, {
      archive,
      read,
      take: (path) => storeFile(parts, at, archive, path),
      importPackage: (path, file) => importScormPackage(parts, archive, path, file),
      findTool: (url) => findToolIdByHost(parts.db, one.course_id, url),
      noteShown: (path) => void shown.add(path),
      async isShown(path) {
        if (one.is_dry_run) return shown.has(path);
        // Hides what a worker took before it died without writing the part.
        const { rows } = await parts.db.execute(sql`
          select from cartridge_files join files on files.id = file_id
          where import_id = ${one.id} and path = ${path} and loose_since is null`);
        return rows.length > 0;
      },
    });
  } catch (error) {
    if (error instanceof RefusedPartError)
      return { outcome: "refused", reason: error.reason, left_out: [...error.leftOut] };
    if (error instanceof HttpError && error.status === 400)
      return { outcome: "refused", reason: httpErrorToStoredReason(error) };
    throw error;
  }
}

/** The pages of a dry run, which writes nothing. */
const shownByDryRuns = new Map<number, Set<string>>();

function shownBefore(id: number): Set<string> {
  const known = shownByDryRuns.get(id) ?? new Set();
  if (shownByDryRuns.size > 20) shownByDryRuns.delete([...shownByDryRuns.keys()][0] ?? 0);
  shownByDryRuns.set(id, known);
  return known;
}

/** Writes a part if the import's user may still write in the course. */
async function write(
  { db }: Parts,
  one: Claimed,
  caller: RoleHolder,
  part: Next,
  given: ConvertedPart,
): Promise<void> {
  const { rows } = await db.execute(sql`
    select create_content_from_cartridge_part(${part.id}, ${storable(given)}::jsonb, ${encodeStoredReason("cartridge_module_missing")})
    from (select courses.id from courses where courses.id = ${one.course_id} and ${importCartridgePermissionCondition(caller)} offset 0) as permitted`);
  if (rows.length === 0) throw badRequest("cartridge_importer_lost_right");
}
