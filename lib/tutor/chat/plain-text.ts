import type { NotReadKind } from "../../../schema/enums.ts";
import { singleLine } from "../../platform/text/single-line.ts";

/** The tutor knows only its name. */
export type UnreadPart = { label: string; kind: NotReadKind };

/** Blocks end with one or two line breaks. */
export type PlainTextBlocks = { blocks: string[]; notRead: UnreadPart[] };

type Json = Record<string, unknown>;

/** Files whose text is added separately. */
type Told = ReadonlySet<unknown>;

/** `title` names untitled parts. Pure. */
type Telling = (data: Json, title: string, told: Told) => PlainTextBlocks;

/**
 * An item's data as plain text: paragraphs, formulas, transcripts with time marks, labels of links, pictures
 * and files. Empty for custom types, whose shape is unknown. Files in `told` are not reported as unread.
 */
export function itemToPlainText(
  contentType: string,
  data: Json,
  title: string,
  told: Told = new Set(),
): PlainTextBlocks {
  const telling = tellings[contentType];
  if (telling) return telling(data, title, told);
  return {
    blocks: [],
    notRead: Object.keys(data).length > 0 ? [{ label: named("", title), kind: "other" }] : [],
  };
}

const tellings: Record<string, Telling> = {
  text: (data, title) => together(heading(data, title), ...blocksOf(data["blocks"], title)),
  video: (data, title) => film(data, title),
  resource: (data, title, told) => resourcesOf(data["resources"], title, told),
  quiz: (data, title) =>
    together(
      facts({
        Mode: data["quiz_mode"],
        "Questions in an attempt": data["num_questions_per_attempt"],
        "Seconds for an attempt": data["time_limit_seconds"],
      }),
      missing(data["question_pool_id"] != null, { label: named("", title), kind: "pool" }),
    ),
  engineering_lab: (data, title, told) =>
    together(
      facts({ "Kind of lab": data["lab_type"], Runtime: data["runtime"] }),
      filesOf(data["files"], title, told),
    ),
  assignment: (data, title, told) =>
    together(
      heading(data, title),
      words(data["description"]),
      words(data["instructions"]),
      criteriaOf(data["criteria"]),
      ...blocksOf(data["blocks"], title),
      resourcesOf(data["resources"], title, told),
    ),
  // Its content is at the tool: the tutor has the item's description and notes.
  external_tool: (_, title) => missing(true, { label: named("", title), kind: "other" }),
};

const together = (...parts: PlainTextBlocks[]): PlainTextBlocks => ({
  blocks: parts.flatMap(({ blocks }) => blocks),
  notRead: parts.flatMap(({ notRead }) => notRead),
});

const nothing: PlainTextBlocks = { blocks: [], notRead: [] };

const words = (text: unknown): PlainTextBlocks =>
  typeof text === "string" && text.trim() !== "" ? { blocks: [`${text.trim()}\n\n`], notRead: [] } : nothing;

const missing = (is: boolean, what: UnreadPart): PlainTextBlocks =>
  is ? { blocks: [], notRead: [what] } : nothing;

/** The data's own title if it differs from the item's, which the prompt has. */
const heading = (data: Json, title: string): PlainTextBlocks =>
  data["title"] === title ? nothing : words(data["title"]);

function facts(known: Record<string, unknown>): PlainTextBlocks {
  const lines = Object.entries(known).flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" ? [`${name}: ${value}`] : [],
  );
  return words(lines.join("\n"));
}

const listed = (lines: readonly string[]): PlainTextBlocks =>
  words(lines.map((line) => `- ${line}`).join("\n"));

const blocksOf = (blocks: unknown, title: string): PlainTextBlocks[] =>
  objectsIn(blocks).map((block) => {
    switch (block["type"]) {
      case "math":
        return typeof block["latex"] === "string" ? words(`$$${block["latex"]}$$`) : nothing;
      case "image":
        return together(
          textOf(block["caption"]) ? words(`[Picture: ${textOf(block["caption"])}]`) : nothing,
          missing(true, { label: named(block["caption"], title), kind: "picture" }),
        );
      case "link_list":
        return listed(
          objectsIn(block["items"])
            .map(({ label }) => textOf(label))
            .filter(Boolean),
        );
      default:
        return words(block["text"]);
    }
  });

const linkKinds = new Map<unknown, NotReadKind>([
  ["pdf", "file"],
  ["video", "film"],
]);

/** Links are not followed. */
function resourcesOf(resources: unknown, title: string, told: Told): PlainTextBlocks {
  const links = objectsIn(resources);
  return together(listed(links.map(({ label }) => textOf(label)).filter(Boolean)), {
    blocks: [],
    notRead: links
      .filter(({ file_id }) => !told.has(file_id))
      .map(({ label, kind, file_id }) => ({
        label: named(label, title),
        kind: linkKinds.get(kind) ?? (file_id == null ? "page" : "file"),
      })),
  });
}

function filesOf(files: unknown, title: string, told: Told): PlainTextBlocks {
  const listedFiles = objectsIn(files);
  const paths = listedFiles.map(({ path }) => textOf(path));
  return together(listed(paths.filter(Boolean).map((path) => `file ${path}`)), {
    blocks: [],
    notRead: listedFiles
      .filter(({ file_id }) => !told.has(file_id))
      .map(({ path }) => ({ label: named(path, title), kind: "file" })),
  });
}

/** Labels by file id: a resource's label, a lab file's path. */
export const fileLabelsById = (data: Json): Map<unknown, string> =>
  new Map(
    [...objectsIn(data["resources"]), ...objectsIn(data["files"])].flatMap(({ file_id, label, path }) => {
      const name = textOf(label) || textOf(path);
      return name ? [[file_id, name.slice(0, maxPlainTextLabelCharacters)] as const] : [];
    }),
  );

function criteriaOf(criteria: unknown): PlainTextBlocks {
  if (!Array.isArray(criteria)) return words(criteria);
  return listed(criteria.map(criterionOf).filter(Boolean));
}

function criterionOf(criterion: unknown): string {
  if (!isObject(criterion)) return textOf(criterion);
  const { title, label, text, description, points } = criterion;
  const said = [title, label, text, description].map(textOf).filter(Boolean).join(": ");
  return typeof points === "number" ? `${said} (${points} points)` : said;
}

/** Seconds of a video between time marks. */
const secondsPerLine = 20;

/** A video without a transcript is unread. */
function film(data: Json, title: string): PlainTextBlocks {
  const transcript = isObject(data["transcript"]) ? data["transcript"] : {};
  const lines: string[] = [];
  let marked = Number.NEGATIVE_INFINITY;
  for (const segment of objectsIn(transcript["segments"])) {
    const said = textOf(segment["text"]);
    const { start } = segment;
    if (said === "") continue;
    if (typeof start === "number" && (start - marked >= secondsPerLine || start < marked)) {
      marked = start;
      lines.push(`${timeMark(start)} ${said}`);
    } else if (lines.length === 0) lines.push(said);
    else lines[lines.length - 1] += ` ${said}`;
  }
  if (lines.length === 0) return missing(true, { label: named("", title), kind: "film" });
  return { blocks: ["What is said in the film:\n", ...lines.map((line) => `${line}\n`)], notRead: [] };
}

/** `[12:40]`, from the first hour on `[1:02:40]`. */
function timeMark(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return `[${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}]`;
}

const maxPlainTextLabelCharacters = 200;

const named = (label: unknown, title: string): string =>
  (textOf(label) || textOf(title)).slice(0, maxPlainTextLabelCharacters);

const textOf = (text: unknown): string => (typeof text === "string" ? singleLine(text) : "");

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const objectsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.filter(isObject) : []);
