import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import type { QtiFile } from "../../assessment/qti/package.ts";
import { parseQtiItem } from "../../assessment/qti/read-item.ts";
import { QtiError } from "../../assessment/qti/xml.ts";
import { badRequest } from "../../errors.ts";
import { XmlError } from "../../platform/readers/xml.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { type EncodedOmission, encodeOmission, encodeOmittedElement } from "../cartridges/omission-codes.ts";
import { parseQtiQuizItems } from "../cartridges/read-quiz.ts";
import { childElements, type Element, parseXml } from "../cartridges/xml.ts";
import { readGift } from "./gift.ts";
import { readMoodleXml } from "./moodle-xml.ts";

/** A question, or why it was not read. Neither: the file has no questions. */
export type ParsedQuestion = {
  name: string;
  /** Null if it could not be decoded. */
  read_as?: string | null;
  /** Null if the whole file is meant. */
  line: number | null;
  question?: QuestionCreate;
  fault?: StoredReason | EncodedOmission;
  leftOut: EncodedOmission[];
};

/** Faults may quote the file's content, so they are cut. */
const longestFault = 500;

/**
 * QTI 1.2, 2 and 3, Moodle XML, GIFT and JSON, told apart by content. A package may have files of other
 * kinds; a single one is rejected.
 */
export function parseQuestionFileByContent(
  { name, xml: text }: QtiFile,
  at: { isPackaged: boolean },
): ParsedQuestion[] {
  const source = text.trimStart();
  const whole = { name, line: null, leftOut: [] };
  if (source.startsWith("<")) return readXmlFile({ name, xml: text }, at);
  const listed = questionsInJson(source);
  if (listed) return listed.map((one, index) => fromJson(one, name, index));
  if (/(?<!\\)\{/.test(source))
    return readGift(text).map(({ line, ...found }) => ({ ...whole, line, ...found }));
  if (at.isPackaged) return [whole];
  throw badRequest("question_file_unknown");
}

const rootOf = (source: string): string =>
  /^(?:\s|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->)*<(?:[\w.-]+:)?([\w.-]+)/.exec(source)?.[1] ?? "";

function readXmlFile({ name, xml }: QtiFile, { isPackaged }: { isPackaged: boolean }): ParsedQuestion[] {
  const whole = { name, line: null, leftOut: [] };
  const refused = (fault: StoredReason): ParsedQuestion[] => [{ ...whole, fault }];
  const root = rootOf(xml);
  try {
    if (/^(qti-assessment-item|assessmentItem)$/.test(root)) {
      const read = parseQtiItem(xml);
      if (!read) return [whole];
      return [{ ...whole, question: read.question, leftOut: read.leftOut.map(encodeOmittedElement) }];
    }
    if (root === "questestinterop" || root === "quiz") {
      const found = questionsInXml(parseXml(xml, { hasLines: true }));
      if (found) return found.map((one) => ({ name, ...one }));
    }
  } catch (error) {
    if (error instanceof QtiError) return refused(error.reason);
    if (error instanceof XmlError)
      return refused(
        encodeStoredReason("qti_xml_unreadable", { fault: truncate(error.message, longestFault) }),
      );
    throw error;
  }
  if (isPackaged || /^(manifest|assessmentTest|qti-assessment-test)$/.test(root)) return [whole];
  return refused(encodeStoredReason("qti_root_unknown", { name: truncate(root, 100) }));
}

function questionsInXml(root: Element): Omit<ParsedQuestion, "name">[] | undefined {
  if (root.name === "questestinterop")
    return parseQtiQuizItems(root).map(({ number, line = null, leftOut: lines, ...item }) => {
      const at = { line, leftOut: lines };
      if ("fault" in item) return { ...at, fault: item.fault };
      if ("question" in item) return { ...at, question: item.question };
      return {
        ...at,
        fault: encodeOmission("left_out_question_kind", { number, question_kind: "essay_question" }),
      };
    });
  // The settings of a Canvas quiz have the same root.
  return childElements(root, "question").length > 0 ? readMoodleXml(root) : undefined;
}

/** An export of a pool, or a list of questions. */
function questionsInJson(source: string): unknown[] | undefined {
  if (!/^[[{]/.test(source)) return undefined;
  try {
    const held: unknown = JSON.parse(source);
    const listed = typeof held === "object" && held && "questions" in held ? held.questions : held;
    return Array.isArray(listed) ? listed : undefined;
  } catch {
    return undefined;
  }
}

function fromJson(given: unknown, name: string, index: number): ParsedQuestion {
  const { data, error } = QuestionCreate.safeParse(given);
  if (data) return { name, line: null, question: data, leftOut: [] };
  const issue = describeFirstIssue(given, error, "question");
  return {
    ...{ name, line: null, leftOut: [] },
    fault: encodeOmission("left_out_question_invalid", { number: index + 1, ...issue }),
  };
}
