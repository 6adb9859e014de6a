import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { type ContentTypeName, moduleTypes } from "../../../schema/enums.ts";
import { toStoredQuestion } from "../../assessment/questions.ts";
import { collectItemFileReferences } from "../../courses/content/files-of-item.ts";
import { isDisplayablePicture } from "../../platform/file-store/inline-display.ts";
import { type EncodedOmission, encodeOmission } from "../../platform/results/omission-codes.ts";
import {
  decodeStoredReason,
  encodeStoredReason,
  type StoredReason,
} from "../../platform/results/stored-reason.ts";
import { lostCharacter } from "../../platform/text/lost-character.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { Archive } from "./archive.ts";
import type { ConvertedItem } from "./made-item.ts";
import {
  findNativeFilePaths,
  type NativeItem,
  parseNativeItem,
  replaceFilePathsWithIds,
} from "./parse-native-item.ts";
import { fileNameOfPath, resolveArchiveFile } from "./paths.ts";
import type { PartDetails } from "./plan.ts";
import { findPlaceholderPicturePaths, replaceAllPicturePlaceholders } from "./question-pictures.ts";
import { toQuizItems } from "./quiz-item.ts";
import type { ParsedPart, PartParserInput } from "./read-part.ts";
import type { ParsedQuiz } from "./read-quiz.ts";
import { RefusedPartError } from "./refused-part.ts";
import {
  cutText,
  type ImportedSettings,
  maxItemDescriptionCharacters,
  omittedQuizSettings,
  resolveItemDates,
} from "./settings.ts";
import type { StoredArchiveFile } from "./store-file.ts";
import { parseVideoUrl } from "./video-url.ts";

export type PartToConvert = {
  id: number;
  kind: string;
  identifier: string;
  title: string;
  details: PartDetails;
};

/** As `create_content_from_cartridge_part` takes it. */
export type ConvertedPart = {
  outcome: "created" | "partly" | "refused" | "ignored";
  reason?: StoredReason;
  title?: string;
  became?: string[];
  left_out?: EncodedOmission[];
  module?: {
    module_type: string;
    description: string | null;
    available_from?: string | null;
    due_at?: string | null;
  };
  /** A bank is created once, also if several quizzes draw from it. */
  pool?: { title: string; questions: object[]; bank?: string };
  items?: ConvertedItem[];
  read_as?: string | undefined;
};

export type PartConversionContext = {
  archive: Archive;
  read(given: PartParserInput): Promise<ParsedPart>;
  /** Throws RefusedPart. */
  take(path: string): Promise<StoredArchiveFile>;
  /** The fault of a SCORM package, null without one, undefined for another file. */
  importPackage(path: string, file: StoredArchiveFile): Promise<string | null | undefined>;
  noteShown(path: string): void;
  isShown(path: string): Promise<boolean>;
  /** The registered tool of the course on the host of that address. */
  findTool(url: string): Promise<number | undefined>;
};

const megabyte = 1_000_000;
const cartridgeSizeLimits = { page: 2 * megabyte, xml: 8 * megabyte, own: megabyte, dataKib: 256 };

/** Throws RefusedPart if the part is unusable. */
export async function convertCartridgePart(
  part: PartToConvert,
  at: PartConversionContext,
): Promise<ConvertedPart> {
  if (part.title.includes(lostCharacter))
    throw new RefusedPartError(encodeStoredReason("row_character_lost", { column: "title" }));
  let read_as: string | undefined;
  let isInactive = part.details.is_active === false;
  const noting = async (given: PartParserInput): Promise<ParsedPart> => {
    const read = await at.read(given);
    read_as ??= read.read_as;
    isInactive ||= isUnpublished(read);
    return read;
  };
  const kind = await convertKind(part, { ...at, read: noting });
  const left_out = [...(kind.left_out ?? []), ...(part.details.left_out ?? [])];
  const items = kind.items?.map((item) => (isInactive ? { ...item, is_active: false } : item));
  const converted: ConvertedPart = {
    ...kind,
    ...(items && { items }),
    ...(left_out.length > 0 && { left_out }),
    read_as,
  };
  for (const { data_json } of converted.items ?? [])
    if (Buffer.byteLength(JSON.stringify(data_json)) > cartridgeSizeLimits.dataKib * 1024)
      throw new RefusedPartError(
        encodeStoredReason("cartridge_page_too_large", { kib: cartridgeSizeLimits.dataKib }),
      );
  const isWhole = (converted.left_out ?? []).length === 0 || converted.outcome !== "created";
  return isWhole ? converted : { ...converted, outcome: "partly" };
}

function isUnpublished(read: ParsedPart): boolean {
  if ("page" in read) return read.page.is_active === false;
  const of = "quiz" in read ? read.quiz : "assignment" in read ? read.assignment : undefined;
  return of?.settings.is_active === false;
}

async function convertKind(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const { kind, details } = part;
  if (kind === "module") return moduleOf(part);
  if (details.own !== undefined && kind !== "quiz") return ownItem(part, details.own, at);
  switch (kind) {
    case "page":
    case "topic":
      return textOf(part, at);
    case "link":
      return linkOf(part, at);
    case "lti_link":
      return toolOf(part, at);
    case "quiz":
    case "question_bank":
      return quizOf(part, at);
    case "assignment":
      return workOf(part, at);
    default:
      return fileOf(part, at);
  }
}

function moduleOf({ identifier, details }: PartToConvert): ConvertedPart {
  // Our export writes these identifiers.
  const [, named] = /^module-([a-z_]+)-\d+$/.exec(identifier) ?? [];
  const module_type = moduleTypes.find((type) => type === named) ?? "unit";
  return {
    outcome: "created",
    became: ["module"],
    module: { module_type, description: details.description ?? null, ...details.dates },
  };
}

const titled = ({ title, details }: PartToConvert, said: string): string =>
  truncate((details.is_untitled ? said.trim() : "") || title, 255);

const pathOf = ({ details }: PartToConvert): string => details.path ?? "";

const refusedIn = (read: ParsedPart): never => {
  throw new RefusedPartError("refusal" in read ? read.refusal : encodeStoredReason("cartridge_part_failed"));
};

async function textOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const path = pathOf(part);
  const { names } = at.archive;
  const bytes = await at.archive.bytes(path, cartridgeSizeLimits.page);
  const read = await at.read(
    part.kind === "page"
      ? { page: bytes, path, names }
      : { topic: bytes, settings: await settingsOf(part, at), path, names },
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

/** If an item's file cannot be stored, the item omits and reports it. */
async function takenOr(
  at: PartConversionContext,
  path: string,
  lines: EncodedOmission[],
): Promise<StoredArchiveFile | undefined> {
  try {
    const taken = await at.take(path);
    at.noteShown(path);
    return taken;
  } catch (error) {
    if (!(error instanceof RefusedPartError)) throw error;
    const { reason } = decodeStoredReason(error.reason);
    lines.push(encodeOmission("left_out_file", { path: truncate(path, 200), fault: reason }));
    return undefined;
  }
}

/** `data_json` names files by id. A dry run writes nothing, and its files have none. */
function made(
  type: ContentTypeName,
  title: string,
  data_json: Record<string, unknown>,
  left_out: EncodedOmission[] = [],
): ConvertedPart {
  const item: ConvertedItem = {
    type,
    title,
    data_json,
    files: collectItemFileReferences(type, data_json).files,
  };
  return { outcome: "created", title, became: [type], left_out, items: [item] };
}

/** In the manifest, or in a file. */
const linkXml = async ({ details: { xml, path = "" } }: PartToConvert, at: PartConversionContext) =>
  xml === undefined ? at.archive.bytes(path, cartridgeSizeLimits.xml) : Buffer.from(xml);

async function linkOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  if (part.details.is_recording) return recordingOf(part, at);
  const read = await at.read({ link: await linkXml(part, at) });
  if (!("link" in read)) return refusedIn(read);
  return linked(titled(part, read.link.title), read.link.url);
}

function linked(title: string, url: string, left_out: EncodedOmission[] = []): ConvertedPart {
  const film = parseVideoUrl(url);
  if (film) return made("video", title, { provider: film.platform, video_id: film.id, url }, left_out);
  return made("resource", title, { resources: [{ label: title, url }] }, left_out);
}

/** A recording of Open Video: a film of the cartridge or of the web. */
async function recordingOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const path = pathOf(part);
  const read = await at.read({ recording: await at.archive.bytes(path, cartridgeSizeLimits.xml) });
  if (!("recording" in read)) return refusedIn(read);
  const { address, isOfWeb, leftOut: lines, ...recording } = read.recording;
  const title = titled(part, recording.title);
  const file = resolveArchiveFile(address, path, new Set(at.archive.names));
  if (file === undefined && !isOfWeb)
    throw new RefusedPartError(encodeStoredReason("cartridge_link_not_of_web"), lines);
  const converted =
    file === undefined ? linked(title, address, lines) : await recordedIn(file, title, lines, at);
  return withDescription(converted, recording.description);
}

function withDescription(converted: ConvertedPart, text: string): ConvertedPart {
  const left_out = [...(converted.left_out ?? [])];
  const description =
    cutText(text, maxItemDescriptionCharacters, "description", (line) => left_out.push(line)) || null;
  return { ...converted, left_out, items: (converted.items ?? []).map((one) => ({ ...one, description })) };
}

async function recordedIn(
  path: string,
  title: string,
  lines: EncodedOmission[],
  at: PartConversionContext,
): Promise<ConvertedPart> {
  const { id, kind } = await at.take(path);
  at.noteShown(path);
  return madeOfFile(title, id, kind, lines);
}

/** Without a registered tool, a teacher chooses one later. */
async function toolOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const { tool, lti_tool_id } = await toolLinkIn(part, at);
  const custom = Object.keys(tool.custom).length > 0 && { custom: tool.custom };
  const data = { url: tool.url, ...custom, ...tool.grading };
  const title = titled(part, tool.title);
  const converted = made("external_tool", title, { ...data, ...lti_tool_id }, [
    ...unregistered(tool.url, lti_tool_id),
    ...tool.leftOut,
  ]);
  return withDescription(converted, tool.description);
}

async function toolLinkIn(part: PartToConvert, at: PartConversionContext) {
  const read = await at.read({ tool: await linkXml(part, at) });
  if (!("tool" in read)) return refusedIn(read);
  const found = await at.findTool(read.tool.url);
  return { tool: read.tool, lti_tool_id: found === undefined ? {} : { lti_tool_id: found } };
}

const unregistered = (url: string, found: object): EncodedOmission[] =>
  "lti_tool_id" in found ? [] : [encodeOmission("left_out_tool", { host: new URL(url).host })];

async function fileOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const path = pathOf(part);
  if (part.details.is_untitled && (await at.isShown(path)))
    return { outcome: "ignored", reason: encodeStoredReason("cartridge_shown_elsewhere") };
  const file = await at.take(path);
  const { id, kind } = file;
  const title = part.details.is_untitled ? truncate(fileNameOfPath(path), 255) : part.title;
  const fault = /\.zip$/i.test(path) ? await at.importPackage(path, file) : undefined;
  if (fault === null) return made("scorm", title, { file_id: id ?? 1 });
  const left_out =
    fault === undefined ? [] : [encodeOmission("left_out_file", { path: truncate(path, 200), fault })];
  return madeOfFile(title, id, kind, left_out);
}

/** A film, or a file to download. */
function madeOfFile(
  title: string,
  id: number | null,
  kind: string,
  left_out: EncodedOmission[],
): ConvertedPart {
  const file_id = id ?? 1;
  if (/^video\/(mp4|webm|ogg)$/.test(kind))
    return made("video", title, { provider: "internal", file_id }, left_out);
  const resource = { label: title, file_id, ...(kind === "application/pdf" && { kind: "pdf" }) };
  return made("resource", title, { resources: [resource] }, left_out);
}

const settingsOf = async ({ details: { settings } }: PartToConvert, at: PartConversionContext) =>
  settings === undefined ? undefined : at.archive.bytes(settings, cartridgeSizeLimits.xml);

const mostAttachments = 50;

const rubricsOfCanvas = "course_settings/rubrics.xml";

async function workOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const path = pathOf(part);
  const { names } = at.archive;
  const read = await at.read({
    assignment: await at.archive.bytes(path, cartridgeSizeLimits.page),
    settings: await settingsOf(part, at),
    rubrics: names.includes(rubricsOfCanvas)
      ? await at.archive.bytes(rubricsOfCanvas, cartridgeSizeLimits.xml)
      : undefined,
    ...{ path, names },
  });
  if (!("assignment" in read)) return refusedIn(read);
  const { instructions, settings, rubric, attachments, leftOut: lines } = read.assignment;
  const left_out = [...lines];
  const resources: object[] = [];
  if (attachments.length > mostAttachments)
    left_out.push(encodeOmission("left_out_further", { count: attachments.length - mostAttachments }));
  for (const name of attachments.slice(0, mostAttachments)) {
    const taken = await takenOr(at, name, left_out);
    if (taken) resources.push({ label: fileNameOfPath(name), file_id: taken.id ?? 1 });
  }
  const { leftOut: lost, ...dates } = resolveItemDates(settings);
  const isClosed = settings.lock_at !== undefined && settings.lock_at === dates.due_at;
  const data = {
    instructions,
    ...workData(settings),
    ...(isClosed && { accepts_late: false }),
    ...(rubric && { rubric }),
    ...(resources.length > 0 && { resources }),
  };
  const converted = made("assignment", titled(part, read.assignment.title), data, [...left_out, ...lost]);
  return { ...converted, items: (converted.items ?? []).map((one) => ({ ...one, ...dates })) };
}

const workData = ({ points, max_attempts, anonymous, group_submission }: ImportedSettings) => ({
  ...(points !== undefined && { max_points: points }),
  ...(typeof max_attempts === "number" && { max_attempts }),
  ...(anonymous && { anonymous }),
  ...(group_submission && { group_submission }),
});

async function quizOf(part: PartToConvert, at: PartConversionContext): Promise<ConvertedPart> {
  const path = pathOf(part);
  const { names } = at.archive;
  const bytes = await at.archive.bytes(path, cartridgeSizeLimits.xml);
  const read = await at.read(
    part.details.is_package
      ? { questionPackage: bytes }
      : { quiz: bytes, settings: await settingsOf(part, at), path, names },
  );
  if (!("quiz" in read)) return refusedIn(read);
  const quiz = await withStoredPictures(read.quiz, at);
  const title = titled(part, quiz.title);
  if (quiz.hasItems && quiz.questions.length === 0 && quiz.essays.length === 0)
    throw new RefusedPartError(encodeStoredReason("cartridge_quiz_without_questions"), quiz.leftOut);
  if (quiz.isBank || part.kind === "question_bank") return bankOf(quiz, title, path);
  const { pool, leftOut: lost } = await poolOf(quiz, title, at);
  const isOnlyEssays = quiz.essays.length > 0 && pool === undefined;
  const essays = quiz.essays.map((essay) => essayItem(essay, title, quiz.settings));
  const own = await ownOf(part, at);
  const made = isOnlyEssays
    ? { items: [], leftOut: omittedQuizSettings(quiz.settings) }
    : toQuizItems(quiz, own ?? undefined);
  return {
    outcome: "created",
    title,
    became: [
      ...(pool ? ["question_pool"] : []),
      ...(isOnlyEssays ? [] : ["quiz"]),
      ...essays.map(() => "assignment"),
    ],
    left_out: [...quiz.leftOut, ...lost, ...made.leftOut],
    ...(pool && { pool }),
    items: [...made.items.map((one) => ({ ...one, title, draws: pool !== undefined })), ...essays],
  };
}

/** Questions that would lose a picture are reported by number. */
async function withStoredPictures(quiz: ParsedQuiz, at: PartConversionContext): Promise<ParsedQuiz> {
  const questions: QuestionCreate[] = [];
  const lost: EncodedOmission[] = [];
  const groups = quiz.groups.map((group) => ({ ...group }));
  for (const [index, question] of quiz.questions.entries()) {
    const ids = new Map<string, number>();
    for (const path of findPlaceholderPicturePaths(question)) {
      const taken = await takenOr(at, path, []);
      if (taken && isDisplayablePicture(taken.kind)) ids.set(path, taken.id ?? 1);
    }
    const stored = replaceAllPicturePlaceholders(question, ids);
    if (stored) questions.push(stored);
    else {
      const { number = 0, group = -1 } = quiz.places[index] ?? {};
      lost.push(encodeOmission("left_out_question_part_lost", { number, element: "img" }));
      const drawn = groups[group];
      if (drawn) drawn.questions -= 1;
    }
  }
  return { ...quiz, questions, groups, leftOut: [...quiz.leftOut, ...lost] };
}

const inPool = (questions: ParsedQuiz["questions"]): object[] =>
  questions.map((question) => ({ ...toStoredQuestion(question), is_active: question.is_active }));

function bankOf(
  { questions, essays, leftOut: lines }: ParsedQuiz,
  title: string,
  path: string,
): ConvertedPart {
  return {
    outcome: "created",
    title,
    became: ["question_pool"],
    left_out: [...lines, ...essays.map(() => encodeOmission("left_out_essay"))],
    pool: { title, questions: inPool(questions), bank: bankName(path) },
  };
}

/** Canvas names the file of a bank after its identifier. */
const bankFile = (bank: string): string => `non_cc_assessments/${bank}.xml.qti`;
const bankName = (path: string): string => fileNameOfPath(path).replace(/\.xml(\.qti)?$/, "");

/** A quiz that draws from one bank uses its pool, others a pool with copies. */
async function poolOf(
  quiz: ParsedQuiz,
  title: string,
  at: PartConversionContext,
): Promise<{ pool?: NonNullable<ConvertedPart["pool"]>; leftOut: EncodedOmission[] }> {
  const lost: EncodedOmission[] = [];
  const banks: { bank: string; read: ParsedQuiz }[] = [];
  for (const group of quiz.groups) {
    if (group.bank === undefined) continue;
    const known = banks.find(({ bank }) => bank === group.bank);
    const read = known?.read ?? (await readBank(bankFile(group.bank), at));
    if (!read) {
      lost.push(encodeOmission("left_out_bank", { bank: truncate(group.bank, 100) }));
      continue;
    }
    group.questions = read.questions.length;
    if (!known) banks.push({ bank: group.bank, read });
  }
  const [only, ...others] = banks;
  if (quiz.questions.length === 0 && only && others.length === 0)
    return {
      pool: { title: only.read.title || title, questions: inPool(only.read.questions), bank: only.bank },
      leftOut: lost,
    };
  const questions = [...quiz.questions, ...banks.flatMap(({ read }) => read.questions)];
  return { leftOut: lost, ...(questions.length > 0 && { pool: { title, questions: inPool(questions) } }) };
}

/** Undefined without such a file, or if it cannot be read. */
async function readBank(path: string, at: PartConversionContext): Promise<ParsedQuiz | undefined> {
  const { names } = at.archive;
  if (!names.includes(path)) return undefined;
  const quiz = await at.archive.bytes(path, cartridgeSizeLimits.xml);
  const read = await at.read({ quiz, settings: undefined, path, names });
  return "quiz" in read ? withStoredPictures(read.quiz, at) : undefined;
}

async function ownOf(
  { details: { own } }: PartToConvert,
  at: PartConversionContext,
): Promise<NativeItem | undefined> {
  return own === undefined
    ? undefined
    : parseNativeItem(await at.archive.bytes(own, cartridgeSizeLimits.own));
}

function essayItem(
  essay: ParsedQuiz["essays"][number],
  quiz: string,
  settings: ImportedSettings,
): ConvertedItem {
  const { leftOut: _, ...dates } = resolveItemDates(settings);
  return {
    type: "assignment",
    title: truncate(essay.title && essay.title !== "Question" ? essay.title : quiz, 255),
    ...dates,
    data_json: { instructions: essay.instructions, ...workData({ ...settings, points: essay.points }) },
    files: [],
  };
}

async function ownItem(part: PartToConvert, own: string, at: PartConversionContext): Promise<ConvertedPart> {
  const item = parseNativeItem(await at.archive.bytes(own, cartridgeSizeLimits.own));
  const left_out: EncodedOmission[] = [];
  const ids = new Map<string, number>();
  for (const path of new Set(findNativeFilePaths(item.data_json))) {
    const taken = await takenOr(at, path, left_out);
    if (taken) ids.set(path, taken.id ?? 1);
    const fault = taken && item.type === "scorm" ? await at.importPackage(path, taken) : null;
    if (fault !== null)
      left_out.push(encodeOmission("left_out_file", { path: truncate(path, 200), fault: fault ?? "" }));
    if (fault !== null) ids.delete(path);
  }
  const data_json = replaceFilePathsWithIds(item.data_json, (path) => ids.get(path));
  const { type, title: _, data_json: __, ...about } = item;
  if (type === "external_tool" && part.kind === "lti_link") {
    const { tool, lti_tool_id } = await toolLinkIn(part, at);
    Object.assign(data_json, lti_tool_id);
    left_out.push(...unregistered(tool.url, lti_tool_id), ...tool.leftOut);
  }
  const converted = made(type, part.title, data_json, left_out);
  return { ...converted, items: (converted.items ?? []).map((one) => ({ ...one, ...about })) };
}
