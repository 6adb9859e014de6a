import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { type ContentTypeName, moduleTypes } from "../../../schema/enums.ts";
import { storedForm } from "../../assessment/questions.ts";
import { filesOfItem } from "../../courses/content/files-of-item.ts";
import { wordsOf } from "../../error-codes.ts";
import { lostCharacter } from "../../platform/text/lost-character.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { Archive } from "./archive.ts";
import { filmAt } from "./film-address.ts";
import { nameOf } from "./paths.ts";
import type { PartDetails } from "./plan.ts";
import { picturePathsIn, withPictures } from "./question-pictures.ts";
import { pathsIn, readOwnItem, withFiles } from "./read-own-item.ts";
import type { PartGiven, PartRead } from "./read-part.ts";
import type { ReadQuiz } from "./read-quiz.ts";
import { RefusedPart } from "./refused-part.ts";
import type { TakenFile } from "./store-file.ts";

export type WaitingPart = {
  id: number;
  kind: string;
  identifier: string;
  title: string;
  details: PartDetails;
};

export type MadeItem = {
  type: ContentTypeName;
  title: string;
  description?: string | null;
  estimated_duration_seconds?: number | null;
  data_json: Record<string, unknown>;
  files: { file_id: number; is_for_staff: boolean }[];
  /** The quiz draws from the pool that is created with it. */
  draws?: boolean;
};

/** As `end_cartridge_part` takes it. */
export type Converted = {
  outcome: "created" | "partly" | "refused" | "ignored";
  reason?: string;
  title?: string;
  became?: string[];
  left_out?: string[];
  module?: { module_type: string; description: string | null };
  pool?: { title: string; questions: object[] };
  items?: MadeItem[];
  /** The encoding of the part's file. */
  read_as?: string | undefined;
};

export type Converting = {
  archive: Archive;
  read(given: PartGiven): Promise<PartRead>;
  /** Stores a file of the archive; throws RefusedPart. */
  take(path: string): Promise<TakenFile>;
  noteShown(path: string): void;
  isShown(path: string): Promise<boolean>;
};

const megabyte = 1_000_000;
const most = { page: 2 * megabyte, xml: 8 * megabyte, own: megabyte, dataKib: 256 };

/** Throws RefusedPart if nothing can be made of the part. */
export async function convert(part: WaitingPart, at: Converting): Promise<Converted> {
  if (part.title.includes(lostCharacter))
    throw new RefusedPart(wordsOf("row_character_lost", { column: "title" }));
  let read_as: string | undefined;
  const noting = async (given: PartGiven): Promise<PartRead> => {
    const read = await at.read(given);
    read_as ??= read.read_as;
    return read;
  };
  const converted = { ...(await convertKind(part, { ...at, read: noting })), read_as };
  for (const { data_json } of converted.items ?? [])
    if (Buffer.byteLength(JSON.stringify(data_json)) > most.dataKib * 1024)
      throw new RefusedPart(wordsOf("cartridge_page_too_large", { kib: most.dataKib }));
  const isWhole = (converted.left_out ?? []).length === 0 || converted.outcome !== "created";
  return isWhole ? converted : { ...converted, outcome: "partly" };
}

async function convertKind(part: WaitingPart, at: Converting): Promise<Converted> {
  const { kind, details } = part;
  if (kind === "module") return moduleOf(part);
  if (details.own !== undefined && kind !== "quiz") return ownItem(part, details.own, at);
  switch (kind) {
    case "page":
    case "topic":
      return textOf(part, at);
    case "link":
      return linkOf(part, at);
    case "quiz":
    case "question_bank":
      return quizOf(part, at);
    case "assignment":
      return workOf(part, at);
    default:
      return fileOf(part, at);
  }
}

function moduleOf({ identifier, details }: WaitingPart): Converted {
  // Our export writes these identifiers.
  const [, named] = /^module-([a-z_]+)-\d+$/.exec(identifier) ?? [];
  const module_type = moduleTypes.find((type) => type === named) ?? "unit";
  return {
    outcome: "created",
    became: ["module"],
    module: { module_type, description: details.description ?? null },
  };
}

const titled = ({ title, details }: WaitingPart, said: string): string =>
  truncate((details.is_untitled ? said.trim() : "") || title, 255);

const pathOf = ({ details }: WaitingPart): string => details.path ?? "";

const refusedIn = (read: PartRead): never => {
  throw new RefusedPart("refusal" in read ? read.refusal : wordsOf("cartridge_part_failed"));
};

async function textOf(part: WaitingPart, at: Converting): Promise<Converted> {
  const path = pathOf(part);
  const { names } = at.archive;
  const bytes = await at.archive.bytes(path, most.page);
  const read = await at.read(
    part.kind === "page" ? { page: bytes, path, names } : { topic: bytes, path, names },
  );
  if (!("page" in read)) return refusedIn(read);
  const left_out = [...read.page.leftOut];
  const blocks: object[] = [];
  for (const block of read.page.blocks) {
    if (block.type === "paragraph") blocks.push(block);
    else {
      const taken = await takenOr(at, block.path, left_out);
      if (taken)
        blocks.push({
          type: "image",
          file_id: taken.id ?? 1,
          ...(block.caption && { caption: block.caption }),
        });
      else if (block.caption) blocks.push({ type: "paragraph", text: block.caption });
    }
  }
  const title = titled(part, read.page.title);
  return made("text", title, { blocks }, left_out);
}

/** A file within an item: if it cannot be stored, the item omits and reports it. */
async function takenOr(at: Converting, path: string, leftOut: string[]): Promise<TakenFile | undefined> {
  try {
    const taken = await at.take(path);
    at.noteShown(path);
    return taken;
  } catch (error) {
    if (!(error instanceof RefusedPart)) throw error;
    leftOut.push(`${truncate(path, 200)}: ${error.message}`);
    return undefined;
  }
}

/** `data_json` names files by id. Files of a dry run have none, and nothing is written. */
function made(
  type: ContentTypeName,
  title: string,
  data_json: Record<string, unknown>,
  left_out: string[] = [],
): Converted {
  const item: MadeItem = { type, title, data_json, files: filesOfItem(type, data_json).files };
  return { outcome: "created", title, became: [type], left_out, items: [item] };
}

async function linkOf(part: WaitingPart, at: Converting): Promise<Converted> {
  const read = await at.read({ link: await at.archive.bytes(pathOf(part), most.xml) });
  if (!("link" in read)) return refusedIn(read);
  const { url } = read.link;
  const title = titled(part, read.link.title);
  const film = filmAt(url);
  if (film) return made("video", title, { provider: film.platform, video_id: film.id, url });
  return made("resource", title, { resources: [{ label: title, url }] });
}

async function fileOf(part: WaitingPart, at: Converting): Promise<Converted> {
  const path = pathOf(part);
  if (part.details.is_untitled && (await at.isShown(path)))
    return { outcome: "ignored", reason: wordsOf("cartridge_shown_elsewhere") };
  const { id, kind } = await at.take(path);
  const title = part.details.is_untitled ? truncate(nameOf(path), 255) : part.title;
  if (/^video\/(mp4|webm|ogg)$/.test(kind))
    return made("video", title, { provider: "internal", file_id: id ?? 1 });
  const resource = { label: title, file_id: id ?? 1, ...(kind === "application/pdf" && { kind: "pdf" }) };
  return made("resource", title, { resources: [resource] });
}

async function workOf(part: WaitingPart, at: Converting): Promise<Converted> {
  const path = pathOf(part);
  const { settings } = part.details;
  const { names } = at.archive;
  const read = await at.read({
    assignment: await at.archive.bytes(path, most.page),
    settings: settings === undefined ? undefined : await at.archive.bytes(settings, most.page),
    ...{ path, names },
  });
  if (!("assignment" in read)) return refusedIn(read);
  const { instructions, points, attachments, leftOut } = read.assignment;
  const left_out = [...leftOut];
  const resources: object[] = [];
  for (const name of attachments.slice(0, 50)) {
    const taken = await takenOr(at, name, left_out);
    if (taken) resources.push({ label: nameOf(name), file_id: taken.id ?? 1 });
  }
  const data = {
    instructions,
    ...(points !== null && { max_points: points }),
    ...(resources.length > 0 && { resources }),
  };
  return made("assignment", titled(part, read.assignment.title), data, left_out);
}

async function quizOf(part: WaitingPart, at: Converting): Promise<Converted> {
  const path = pathOf(part);
  const { names } = at.archive;
  const read = await at.read({ quiz: await at.archive.bytes(path, most.xml), path, names });
  if (!("quiz" in read)) return refusedIn(read);
  const { quiz } = read;
  const title = titled(part, quiz.title);
  const { questions: shown, lost: withoutPicture } = await storedPictures(quiz, at);
  const leftOut = [...quiz.leftOut, ...withoutPicture];
  if (shown.length === 0 && quiz.essays.length === 0)
    return { outcome: "refused", reason: wordsOf("cartridge_quiz_without_questions"), left_out: leftOut };
  const isBank = quiz.isBank || part.kind === "question_bank";
  const questions = shown.map((question) => ({
    ...storedForm(question),
    is_active: question.is_active,
  }));
  const draws = questions.length > 0 && !isBank;
  const essays = isBank ? [] : quiz.essays.map((essay) => essayItem(essay, title));
  const lost = isBank ? quiz.essays.map(() => "essay") : [];
  const settings = await quizSettings(part, quiz, at);
  return {
    outcome: "created",
    title,
    became: [
      ...(questions.length > 0 ? ["question_pool"] : []),
      ...(draws ? ["quiz"] : []),
      ...essays.map(() => "assignment"),
    ],
    left_out: [...leftOut, ...lost],
    ...(questions.length > 0 && { pool: { title, questions } }),
    items: [
      ...(draws ? [{ type: "quiz" as const, title, ...settings, files: [], draws: true }] : []),
      ...essays,
    ],
  };
}

/** Stores the pictures of questions. Questions that would lose one are reported by number. */
async function storedPictures(
  { questions, numbers }: ReadQuiz,
  at: Converting,
): Promise<{ questions: QuestionCreate[]; lost: string[] }> {
  const shown: QuestionCreate[] = [];
  const lost: string[] = [];
  for (const [index, question] of questions.entries()) {
    const ids = new Map<string, number>();
    for (const path of picturePathsIn(question)) {
      const taken = await takenOr(at, path, []);
      if (taken?.kind.startsWith("image/")) ids.set(path, taken.id ?? 1);
    }
    const stored = withPictures(question, ids);
    if (stored) shown.push(stored);
    else lost.push(`${numbers[index]}: its img would be lost`);
  }
  return { questions: shown, lost };
}

async function quizSettings(
  part: WaitingPart,
  quiz: ReadQuiz,
  at: Converting,
): Promise<Pick<MadeItem, "data_json" | "description" | "estimated_duration_seconds">> {
  const { own } = part.details;
  if (own !== undefined) {
    const { data_json, description, estimated_duration_seconds } = readOwnItem(
      await at.archive.bytes(own, most.own),
    );
    return { data_json, description, estimated_duration_seconds };
  }
  const points = Math.round(quiz.questions.reduce((sum, one) => sum + one.points, 0) * 100) / 100;
  const data_json = {
    quiz_mode: "practice",
    num_questions_per_attempt: null,
    ...(quiz.timeLimitSeconds !== null && { time_limit_seconds: quiz.timeLimitSeconds }),
    mastery: {
      points: Math.min(points, 9999.99),
      ...(quiz.maxAttempts !== null && { max_attempts: quiz.maxAttempts }),
    },
  };
  return { data_json };
}

const essayItem = (essay: ReadQuiz["essays"][number], quiz: string): MadeItem => ({
  type: "assignment",
  title: truncate(essay.title && essay.title !== "Question" ? essay.title : quiz, 255),
  data_json: { instructions: essay.instructions, max_points: essay.points },
  files: [],
});

async function ownItem(part: WaitingPart, own: string, at: Converting): Promise<Converted> {
  const item = readOwnItem(await at.archive.bytes(own, most.own));
  const left_out: string[] = [];
  const ids = new Map<string, number>();
  for (const path of new Set(pathsIn(item.data_json))) {
    const taken = await takenOr(at, path, left_out);
    if (taken) ids.set(path, taken.id ?? 1);
  }
  const data_json = withFiles(item.data_json, (path) => ids.get(path));
  const { type, description, estimated_duration_seconds } = item;
  const converted = made(type, part.title, data_json, left_out);
  return {
    ...converted,
    items: (converted.items ?? []).map((one) => ({ ...one, description, estimated_duration_seconds })),
  };
}
