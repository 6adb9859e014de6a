import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { pictureIdsIn } from "../../assessment/picture-ids.ts";
import type { QtiFile } from "../../assessment/qti/package.ts";
import { pictureMarkdown } from "../../assessment/qti/plain-text.ts";
import { parseQtiItem } from "../../assessment/qti/read-item.ts";
import { QtiError } from "../../assessment/qti/xml.ts";
import { badRequest } from "../../errors.ts";
import { lineOfJsonError } from "../../platform/readers/json-line.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../platform/results/omission-codes.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { type ArchivePageLocation, resolveArchiveFile } from "../cartridges/paths.ts";
import { picturePlaceholderUrl } from "../cartridges/question-pictures.ts";
import { parseQtiQuizItems } from "../cartridges/read-quiz.ts";
import { childElements, type Element, parseXml } from "../cartridges/xml.ts";
import { readGift } from "./gift.ts";
import { readMoodleXml } from "./moodle-xml.ts";

/** A question, or why it was not read. Neither: the file has no questions. */
export type ParsedQuestionOrFault = {
  name: string;
  /** Null if it could not be decoded. */
  read_as?: string | null;
  /** Null if the whole file is meant. */
  line: number | null;
  question?: QuestionCreate;
  fault?: StoredReason | EncodedOmission;
  leftOut: EncodedOmission[];
  /** Files within the file, in base64 by path. */
  files?: ReadonlyMap<string, string>;
};

/** The number of the file, and the files of the same package; undefined for a single file. */
export type QuestionFileContext = { isPackaged: boolean; number?: number; names?: ReadonlySet<string> };

/** Faults may quote the file's content, so they are cut. */
const maxXmlFaultCharacters = 500;

/**
 * Questions of QTI 1.2, 2 and 3, Moodle XML, GIFT and JSON, told apart by their content. A file that is cut or
 * malformed has one fault and no question. A file of a package may be of another kind; a single one is rejected.
 * Pure.
 */
export function parseQuestionFileByContent(
  { name, xml: text }: QtiFile,
  at: QuestionFileContext,
): ParsedQuestionOrFault[] {
  const source = text.trimStart();
  const whole = { name, line: null, leftOut: [] };
  if (source.startsWith("<")) return readXmlFile({ name, xml: text }, at).map(withoutFileIds);
  if (isJson(source)) return readJson(name, text, at);
  if (/(?<!\\)\{/.test(source))
    return readGift(text, placeOf(name, at)).map((found) => withoutFileIds({ ...whole, ...found }));
  return unknownFile(name, at);
}

/** Only JSON is our own: a file id in another format means nothing here. */
function withoutFileIds(found: ParsedQuestionOrFault): ParsedQuestionOrFault {
  const [id] = pictureIdsIn(found.question ?? "");
  if (id === undefined) return found;
  const { question: _, ...rest } = found;
  return { ...rest, fault: encodeStoredReason("question_picture_unknown", { path: `file:${id}` }) };
}

const placeOf = (path: string, { names = new Set() }: QuestionFileContext): ArchivePageLocation => ({
  path,
  names,
});

function unknownFile(name: string, { isPackaged }: QuestionFileContext): ParsedQuestionOrFault[] {
  if (isPackaged) return [{ name, line: null, leftOut: [] }];
  throw badRequest("question_file_unknown");
}

const rootOf = (source: string): string =>
  /^(?:\s|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>)*<(?:[\w.-]+:)?([\w.-]+)/i.exec(
    source,
  )?.[1] ?? "";

/** Older programs name the document type of QTI 1.2. It is not fetched, and one with own definitions is rejected. */
const withoutDoctype = (source: string): string =>
  source.replace(/<!DOCTYPE\s[^<>[]*>/i, (type) => type.replaceAll(/[^\r\n]/g, " "));

function readXmlFile({ name, xml: source }: QtiFile, at: QuestionFileContext): ParsedQuestionOrFault[] {
  const place = placeOf(name, at);
  const whole = { name, line: null, leftOut: [] };
  const refused = (fault: StoredReason): ParsedQuestionOrFault[] => [{ ...whole, fault }];
  const root = rootOf(source);
  const xml = withoutDoctype(source);
  try {
    if (/^(qti-assessment-item|assessmentItem)$/.test(root)) {
      const read = parseQtiItem(xml, (address, caption) => {
        const path = resolveArchiveFile(address, place.path, place.names);
        return path === undefined ? undefined : pictureMarkdown(caption, picturePlaceholderUrl(path));
      });
      if (!read) return [whole];
      return [{ ...whole, question: read.question, leftOut: read.leftOut.map(encodeOmittedElement) }];
    }
    if (root === "questestinterop" || root === "quiz") {
      const found = questionsInXml(parseXml(xml, { hasLines: true }), place, `embedded/${at.number ?? 0}`);
      if (found) return found.map((one) => ({ name, ...one }));
    }
  } catch (error) {
    if (error instanceof QtiError) return refused(error.reason);
    if (error instanceof XmlError)
      return refused(
        encodeStoredReason("qti_xml_unreadable", { fault: truncate(error.message, maxXmlFaultCharacters) }),
      );
    throw error;
  }
  if (at.isPackaged || /^(manifest|assessmentTest|qti-assessment-test)$/.test(root)) return [whole];
  return refused(encodeStoredReason("qti_root_unknown", { name: truncate(root, 100) }));
}

function questionsInXml(
  root: Element,
  place: ArchivePageLocation,
  embedded: string,
): Omit<ParsedQuestionOrFault, "name">[] | undefined {
  if (root.name === "questestinterop")
    return parseQtiQuizItems(root, place).map(({ number, line = null, leftOut: lines, ...item }) => {
      const at = { line, leftOut: lines };
      if ("fault" in item) return { ...at, fault: item.fault };
      if ("question" in item) return { ...at, question: item.question };
      return {
        ...at,
        fault: encodeOmission("left_out_question_kind", { number, question_kind: "essay_question" }),
      };
    });
  // The settings of a Canvas quiz have the same root.
  return childElements(root, "question").length > 0 ? readMoodleXml(root, embedded) : undefined;
}

/** As opposed to GIFT, which may begin with `[html]`. */
const isJson = (source: string): boolean => /^(\{\s*["}]|\[\s*[{[\]"])/.test(source);

/** An export of a pool, or a list of questions. */
function readJson(name: string, text: string, at: QuestionFileContext): ParsedQuestionOrFault[] {
  let held: unknown;
  try {
    held = JSON.parse(text);
  } catch {
    const line = lineOfJsonError(text);
    return [{ name, line, leftOut: [], fault: encodeStoredReason("question_json_unreadable", { line }) }];
  }
  const listed = typeof held === "object" && held && "questions" in held ? held.questions : held;
  if (!Array.isArray(listed)) return unknownFile(name, at);
  return listed.map((one, index) => fromJson(one, name, index));
}

function fromJson(given: unknown, name: string, index: number): ParsedQuestionOrFault {
  const { data, error } = QuestionCreate.safeParse(given);
  if (data) return { name, line: null, question: data, leftOut: [] };
  const issue = describeFirstIssue(given, error, "question");
  return {
    ...{ name, line: null, leftOut: [] },
    fault: encodeOmission("left_out_question_invalid", { number: index + 1, ...issue }),
  };
}
