import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { hasOptionsWithEqualPlainText } from "../../assessment/qti/become-alike.ts";
import { unomittableElementNames } from "../../assessment/qti/essential-elements.ts";
import { shortenOptionIds } from "../../assessment/qti/option-ids.ts";
import type { MessageValue } from "../../error-codes.ts";
import {
  decodeOmission,
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
  type OmissionCode,
  type ReportOmission,
} from "../../platform/results/omission-codes.ts";
import { encodeCodeAndValues } from "../../platform/results/stored-reason.ts";
import { decimalDifference, decimalMiddle, parseDecimalText } from "../../platform/text/decimal-text.ts";
import { plainTextToMarkdown } from "../../platform/text/plain-text-markdown.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { findLostCharacters } from "../../platform/validation/unstorable.ts";
import { qtiAssessmentMetadataRules, qtiQuestionMetadataRules } from "./canvas-settings.ts";
import { htmlToMarkdown, htmlToMarkdownWithPictures, placeholderPictureMarkdown } from "./html-to-blocks.ts";
import { type ArchivePageLocation, resolveArchiveFile } from "./paths.ts";
import { replacePicturesWithPlaceholders } from "./question-pictures.ts";
import {
  applySettingRulesToPairs,
  firstDistinctOmissions,
  type ImportedSettings,
  omittedMetadata,
} from "./settings.ts";
import { hasMarkdown } from "./write-quiz.ts";
import { childElements, deepElementText, descendants, type Element, elementAtPath } from "./xml.ts";

/** An essay becomes an assignment, since quizzes have no essay questions. */
export type ParsedEssay = { title: string; instructions: string; points: number };

/** Questions of which each attempt draws some. */
export type ParsedQuestionGroup = {
  /** Null for all. */
  draws: number | null;
  questions: number;
  pointsEach: number | undefined;
  /** The identifier of a question bank outside of the file. */
  bank: string | undefined;
};

export type ParsedQuiz = {
  title: string;
  isBank: boolean;
  settings: ImportedSettings;
  questions: QuestionCreate[];
  /** Each question's number in the file, from 1, and its group's position, or -1. */
  places: { number: number; group: number }[];
  essays: ParsedEssay[];
  groups: ParsedQuestionGroup[];
  /** False for a quiz without questions of any kind. */
  hasItems: boolean;
  leftOut: EncodedOmission[];
};

/** Read, an essay, or why it was not read. */
export type ParsedQtiQuizItem = {
  number: number;
  line: number | undefined;
  leftOut: EncodedOmission[];
} & ({ question: QuestionCreate } | { essay: ParsedEssay } | { fault: EncodedOmission });

type Asked = z.input<typeof QuestionCreate>;

class NotUnderstood extends Error {
  override name = "NotUnderstood";
  readonly code: OmissionCode;
  readonly values: Record<string, MessageValue>;

  constructor(code: OmissionCode, values: Record<string, MessageValue> = {}) {
    super(code);
    this.code = code;
    this.values = values;
  }
}

/** As many as a pool takes from one file. */
export const maxQuestionsPerCartridgeQuiz = 1000;

const nowhere: ArchivePageLocation = { path: "", names: new Set() };

/** The assessment or question bank of a QTI 1.2 file, or its root. */
const holderIn = (root: Element): Element =>
  [root, ...childElements(root)].find(({ name }) => name === "assessment" || name === "objectbank") ?? root;

/**
 * QTI 1.2 in the profiles of Common Cartridge, Canvas, Respondus and Blackboard. Reports what it does not
 * read.
 */
export function parseQtiQuiz(root: Element, place: ArchivePageLocation = nowhere): ParsedQuiz {
  const holder = holderIn(root);
  const metadata = metadataOf(holder);
  const { taken, leftOut: lines } = applySettingRulesToPairs(metadata, qtiAssessmentMetadataRules);
  const quiz: ParsedQuiz = {
    title: holder.attributes["title"] ?? metadata.get("bank_title") ?? "",
    isBank: holder.name === "objectbank",
    settings: taken,
    ...{ questions: [], places: [], essays: [], groups: [], hasItems: false },
    leftOut: [],
  };
  const all = itemsIn(holder, (name) => lines.push(encodeOmittedElement(name)));
  quiz.groups = all.groups.map(({ group }) => group);
  quiz.hasItems = all.items.length > 0;
  for (const { group, ...item } of readItems(all.items, place)) {
    lines.push(...item.leftOut);
    if ("fault" in item) lines.push(item.fault);
    else if ("essay" in item) quiz.essays.push(item.essay);
    else {
      quiz.questions.push(item.question);
      quiz.places.push({ number: item.number, group: group ? quiz.groups.indexOf(group) : -1 });
      if (group) group.questions += 1;
    }
  }
  quiz.leftOut = firstDistinctOmissions(lines);
  return quiz;
}

/** The questions of a QTI 1.2 file for a pool, one by one. Pure. */
export function parseQtiQuizItems(root: Element, place: ArchivePageLocation = nowhere): ParsedQtiQuizItem[] {
  const holder = holderIn(root);
  const lines: EncodedOmission[] = [];
  const { items, groups } = itemsIn(holder, (name) => lines.push(encodeOmittedElement(name)));
  for (const { group } of groups)
    if (group.draws !== null)
      lines.push(encodeOmission("left_out_setting", { setting: "selection_number", value: group.draws }));
  const [first, ...others] = readItems(items, place).map(({ group: _, ...item }) => item);
  if (!first) return [];
  // A pool has no settings of a quiz: they are reported with its first question.
  const ofQuiz = [...omittedMetadata(metadataOf(holder), qtiAssessmentMetadataRules), ...lines];
  return [{ ...first, leftOut: [...firstDistinctOmissions(ofQuiz), ...first.leftOut] }, ...others];
}

type FoundItem = { item: Element; points: number | undefined; group: ParsedQuestionGroup | undefined };

function readItems(
  items: readonly FoundItem[],
  place: ArchivePageLocation,
): (ParsedQtiQuizItem & { group: ParsedQuestionGroup | undefined })[] {
  const read: (ParsedQtiQuizItem & { group: ParsedQuestionGroup | undefined })[] = [];
  for (const [index, { item, points, group }] of items.entries()) {
    const number = index + 1;
    const at = { number, line: item.line, group };
    if (index >= maxQuestionsPerCartridgeQuiz) {
      const fault = encodeOmission("left_out_question_beyond", {
        number,
        count: maxQuestionsPerCartridgeQuiz,
      });
      read.push({ ...at, leftOut: [], fault });
      break;
    }
    const lines = new Set<EncodedOmission>();
    try {
      const found = readItem(item, points, (line) => lines.add(ofQuestion(number, line)), place);
      read.push({ ...at, leftOut: [...lines], ...found });
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      const fault = encodeCodeAndValues(error.code, { number, ...error.values }) as EncodedOmission;
      read.push({ ...at, leftOut: [], fault });
    }
  }
  return read;
}

/** The line with the question's number: `left_out_link` becomes `left_out_question_link`. */
function ofQuestion(number: number, line: EncodedOmission): EncodedOmission {
  const [, name = "", values = "{}"] = /^left_out_(?:question_)?(\w+)(?: (.*))?$/s.exec(line) ?? [];
  return encodeCodeAndValues(`left_out_question_${name}`, {
    ...JSON.parse(values),
    number,
  }) as EncodedOmission;
}

/** Parts of an assessment or section that are read, or have no effect. */
const partsOfSection = new Set(["item", "section", "qtimetadata", "selection_ordering", "qticomment"]);

/** Items of nested sections. Canvas's sections draw some items and set their points. */
function itemsIn(holder: Element, report: (name: string) => void) {
  const items: FoundItem[] = [];
  const groups: { group: ParsedQuestionGroup }[] = [];
  const read = (one: Element, points: number | undefined, outer: ParsedQuestionGroup | undefined): void => {
    for (const child of childElements(one)) {
      if (!partsOfSection.has(child.name)) report(child.name);
      if (child.name === "item") items.push({ item: child, points, group: outer });
      if (child.name !== "section") continue;
      const group = groupOf(child, report);
      if (group) groups.push({ group });
      read(child, group?.pointsEach ?? points, group ?? outer);
    }
  };
  read(holder, undefined, undefined);
  return { items, groups };
}

const partsOfSelection = new Set([
  ...["selection_number", "selection_extension", "sourcebank_ref", "objectbank_ref", "sourcebank_context"],
]);

function groupOf(section: Element, report: (name: string) => void): ParsedQuestionGroup | undefined {
  const selection = elementAtPath(section, "selection_ordering", "selection");
  if (!selection) return undefined;
  for (const { name } of childElements(selection)) if (!partsOfSelection.has(name)) report(name);
  const positive = (element: Element | undefined): number | undefined => {
    const value = Number(deepElementText(element));
    return value > 0 ? value : undefined;
  };
  const pointsEach = positive(elementAtPath(selection, "selection_extension", "points_per_item"));
  const draws = positive(elementAtPath(selection, "selection_number")) ?? null;
  const bank =
    deepElementText(elementAtPath(selection, "sourcebank_ref")) ||
    deepElementText(elementAtPath(selection, "objectbank_ref")) ||
    undefined;
  return { draws, questions: 0, pointsEach, bank };
}

function metadataOf(element: Element): Map<string, string> {
  const holders = [element, ...childElements(element, "itemmetadata")];
  const fields = holders
    .flatMap((one) => childElements(one, "qtimetadata"))
    .flatMap((one) => childElements(one, "qtimetadatafield"));
  const pairs = fields.map((field): [string, string] => [
    deepElementText(elementAtPath(field, "fieldlabel")),
    deepElementText(elementAtPath(field, "fieldentry")),
  ]);
  // Blackboard writes elements instead of labels.
  const plain = holders
    .flatMap((one) => childElements(one))
    .filter(({ name }) => /^(bbmd|qmd|cc)_/.test(name))
    .map((one): [string, string] => [one.name, deepElementText(one)]);
  return new Map([...pairs, ...plain]);
}

/** By the names of Canvas, Common Cartridge and Blackboard. */
const kinds = new Map<string, string>(
  Object.entries({
    "cc.multiple_choice.v0p1": "choice",
    "cc.multiple_response.v0p1": "choice",
    "cc.true_false.v0p1": "choice",
    "cc.fib.v0p1": "entry",
    "cc.essay.v0p1": "essay",
    multiple_choice_question: "choice",
    multiple_answers_question: "choice",
    true_false_question: "choice",
    short_answer_question: "entry",
    numerical_question: "entry",
    essay_question: "essay",
    "Multiple Choice": "choice",
    "Multiple Answer": "choice",
    "True/False": "choice",
    "Either/Or": "choice",
    "Fill in the Blank": "entry",
    Essay: "essay",
    "Short Response": "essay",
  }),
);

/** Parts of an item that are read, or have no effect. */
const partsOfItem = new Set([
  ...["itemmetadata", "presentation", "resprocessing", "itemfeedback", "qticomment"],
  ...["qtimetadata", "objectives"],
]);

/** The report of omissions, and the place of pictures unless the text has none. */
type Wording = { leaveOut: ReportOmission; place?: ArchivePageLocation; isMarkdown: boolean };

function readItem(
  item: Element,
  sectionPoints: number | undefined,
  leaveOut: ReportOmission,
  place: ArchivePageLocation,
): { question: QuestionCreate } | { essay: ParsedEssay } {
  const metadata = metadataOf(item);
  const kind =
    metadata.get("question_type") || metadata.get("cc_profile") || metadata.get("bbmd_questiontype") || "";
  const presentation = elementAtPath(item, "presentation");
  if (!presentation)
    throw new NotUnderstood("left_out_question_unasked", { question_kind: truncate(kind || "item", 100) });
  for (const one of childElements(item)) {
    const isComment = /^(qticomment|objectives)$/.test(one.name) && deepElementText(one) !== "";
    if (!partsOfItem.has(one.name) || isComment) leaveOut(encodeOmittedElement(one.name));
  }
  for (const line of applySettingRulesToPairs(metadata, qtiQuestionMetadataRules).leftOut) leaveOut(line);
  const understood = kinds.get(kind) ?? (kind === "" ? guessed(presentation) : undefined);
  const isMarkdown = hasMarkdown(item);
  const wording: Wording =
    understood === "essay"
      ? { leaveOut, isMarkdown }
      : { leaveOut: keepingEssential(leaveOut), place, isMarkdown };
  const common = {
    question_text: asked(presentation, wording) || plainTextToMarkdown(item.attributes["title"] ?? ""),
    explanation: explanationOf(item, { leaveOut, place, isMarkdown }),
    points: pointsOf(item, metadata, sectionPoints),
    ...(metadata.get("question_scoring") === "partial" && { scoring: "partial" as const }),
  };
  if (understood === "essay") {
    const title = item.attributes["title"] ?? "";
    if (common.explanation !== null) leaveOut(encodeOmission("left_out_question_feedback", { number: 0 }));
    const instructions = common.question_text;
    if (instructions.length > longestInstructions)
      throw new NotUnderstood("left_out_question_invalid", {
        field: "instructions",
        fault: `at most ${longestInstructions} characters`,
      });
    return { essay: { title, instructions, points: common.points } };
  }
  const answered =
    understood === "choice"
      ? choiceOf(item, presentation, wording)
      : understood === "entry"
        ? entryOf(item, presentation, leaveOut)
        : undefined;
  if (!answered)
    throw kind === ""
      ? new NotUnderstood("left_out_question_unnamed")
      : new NotUnderstood("left_out_question_kind", { question_kind: truncate(kind, 100) });
  return { question: checked({ ...common, ...answered }) };
}

const longestInstructions = 10_000;

const essential: ReadonlySet<EncodedOmission> = new Set(
  [...unomittableElementNames].map(encodeOmittedElement),
);

const keepingEssential =
  (leaveOut: ReportOmission): ReportOmission =>
  (line) => {
    if (essential.has(line))
      throw new NotUnderstood("left_out_question_part_lost", { element: decodeOmission(line).line });
    leaveOut(line);
  };

function guessed(presentation: Element): string | undefined {
  if (responsesIn(presentation).length !== 1) return undefined;
  return descendants(presentation).some(({ name }) => name === "render_choice") ? "choice" : "entry";
}

function checked(question: Asked): QuestionCreate {
  if (findLostCharacters("body", question).length > 0)
    throw new NotUnderstood("left_out_question_character_lost");
  const result = QuestionCreate.safeParse(question);
  if (result.success) return result.data;
  throw new NotUnderstood(
    "left_out_question_invalid",
    describeFirstIssue(question, result.error, "question"),
  );
}

const responsesIn = (presentation: Element): Element[] =>
  descendants(presentation).filter(({ name }) => /^response_(lid|str|num|grp|xy)$/.test(name));

const gap = "____";

/** Material outside of the options, with the gap of an entry between two of them. */
function asked(presentation: Element, wording: Wording): string {
  const partsOf = (element: Element): string[] =>
    childElements(element).flatMap((child) => {
      if (child.name === "render_fib") return [gap];
      if (child.name === "response_label") return [];
      return child.name === "material" ? [materialText(child, wording)] : partsOf(child);
    });
  const parts = partsOf(presentation).filter(Boolean);
  const isBetween = (at: number) => [parts[at - 1], parts[at + 1]].every((one) => one && one !== gap);
  return parts
    .filter((part, at) => part !== gap || isBetween(at))
    .join("\n\n")
    .replaceAll(`\n\n${gap}\n\n`, ` ${gap} `);
}

function materialText(material: Element, wording: Wording): string {
  return childElements(material)
    .map((part) => {
      if (part.name === "mattext") return mattext(part, wording);
      if (part.name === "matimage") return matimage(part, wording);
      if (part.name === "mat_extension") return formattedText(part, wording);
      if (part.name !== "matbreak") wording.leaveOut(encodeOmittedElement(part.name));
      return "";
    })
    .filter(Boolean)
    .join("\n\n");
}

function mattext(element: Element, wording: Wording): string {
  const text = deepElementText(element);
  if (/^text\/x?html$/i.test(element.attributes["texttype"] ?? "")) return htmlText(text, wording);
  if (!wording.isMarkdown) return plainTextToMarkdown(text);
  return wording.place ? replacePicturesWithPlaceholders(text, wording.place) : text;
}

const htmlText = (html: string, { leaveOut, place }: Wording): string =>
  place ? htmlToMarkdownWithPictures(html, leaveOut, place) : htmlToMarkdown(html, leaveOut);

function matimage({ attributes: { uri = "", label = "" } }: Element, { leaveOut, place }: Wording): string {
  const path = place && resolveArchiveFile(uri, place.path, place.names);
  if (path === undefined) leaveOut(encodeOmittedElement("matimage"));
  return path === undefined ? plainTextToMarkdown(label) : placeholderPictureMarkdown(path, label);
}

/** Blackboard writes HTML into an element of its own. */
function formattedText(extension: Element, wording: Wording): string {
  return childElements(extension)
    .map((part) => {
      if (part.name === "mat_formattedtext")
        return /^plain/i.test(part.attributes["type"] ?? "")
          ? plainTextToMarkdown(deepElementText(part))
          : htmlText(deepElementText(part), wording);
      wording.leaveOut(encodeOmittedElement(part.name));
      return "";
    })
    .filter(Boolean)
    .join("\n\n");
}

/** A group sets its questions' points. The scores of Canvas and Common Cartridge are percent. */
function pointsOf(item: Element, metadata: Map<string, string>, section: number | undefined): number {
  const stated =
    metadata.get("points_possible") || metadata.get("cc_weighting") || metadata.get("qmd_absolutescore_max");
  const isPercent = metadata.has("question_type") || metadata.has("cc_profile");
  const weight = Number(metadata.get("qmd_weighting"));
  const own = stated ? numberIn(stated) : isPercent ? 1 : weight > 0 ? weight : maximumOf(item);
  return Math.round(100 * (section ?? own)) / 100;
}

/** As declared, or what the best answer earns. */
function maximumOf(item: Element): number {
  const declared = Number(elementAtPath(item, "resprocessing", "outcomes", "decvar")?.attributes["maxvalue"]);
  const earning = earningIn(item).filter(({ points }) => points > 0 && Number.isFinite(points));
  const earned = earning.map(({ points }) => points);
  const isSum = earning.every(({ adds }) => adds);
  return declared || (isSum ? earned.reduce((sum, one) => sum + one, 0) : Math.max(...earned)) || 1;
}

/** Feedback that does not depend on the answer: Canvas's general feedback, or a solution. */
function explanationOf(item: Element, wording: Wording): string | null {
  const feedback = childElements(item, "itemfeedback").filter((one) => deepElementText(one) !== "");
  const [general] = feedback.filter(({ attributes }) =>
    /^(general_fb|solution|explanation)$/.test(attributes["ident"] ?? ""),
  );
  if (feedback.length > (general ? 1 : 0))
    wording.leaveOut(encodeOmission("left_out_question_feedback", { number: 0 }));
  if (!general) return null;
  const materials = descendants(general).filter(({ name }) => name === "material");
  return materials.map((one) => materialText(one, wording)).join("\n\n") || null;
}

type Earning = { condition: Element; points: number; adds: boolean };

/** The conditions that give points. Blackboard gives `SCORE.max`. */
const earningIn = (item: Element): Earning[] =>
  childElements(item, "resprocessing")
    .flatMap((one) => childElements(one, "respcondition"))
    .flatMap((condition) => {
      const [set] = childElements(condition, "setvar").filter((one) => worth(one) !== 0);
      if (!set) return [];
      const action = actionOf(set);
      if (!/^(set|add|subtract)$/.test(action)) refuseComputed(`setvar ${action}`);
      return [{ condition, points: worth(set), adds: action !== "set" }];
    });

const actionOf = (set: Element): string => (set.attributes["action"] ?? "set").toLowerCase();

function worth(set: Element): number {
  const text = deepElementText(set);
  const value = /\.max$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text) || 0;
  return actionOf(set) === "subtract" ? -value : value;
}

const refuseComputed = (element: string): never => {
  throw new NotUnderstood("left_out_question_processing", { element: truncate(element, 100) });
};

const conditionParts = new Set(["varequal", "vargte", "vargt", "varlte", "varlt"]);

/**
 * Excludes answers within `not`. Throws for other comparisons, and for combinations that no key can represent:
 * alternatives in a response of several options, and nested or alternative negations.
 */
function wanted(condition: Element, isSet: boolean): Element[] {
  const parts = childElements(condition);
  const isAlternative = condition.name === "or" && parts.length > 1;
  if (isAlternative && (isSet || parts.some(({ name }) => name === "not"))) refuseComputed("or");
  return parts.flatMap((one) => {
    if (one.name === "not") {
      const within = descendants(one).find(({ name }) => name === "not" || name === "and");
      if (within) refuseComputed(`not ${within.name}`);
      return [];
    }
    if (conditionParts.has(one.name)) return [one];
    if (!/^(and|or|other|unanswered)$/.test(one.name)) refuseComputed(one.name);
    return wanted(one, isSet);
  });
}

/**
 * The answers of conditions that give points: all for texts and sums, otherwise the best. Partial points are
 * reported.
 */
function wantedOf(item: Element, leaveOut: ReportOmission, keeps: "best" | "sums" | "all"): Element[] {
  const earning = earningIn(item);
  const most = Math.max(0, ...earning.map(({ points }) => points));
  const adds = keeps === "sums" && earning.every((one) => one.adds);
  const best = earning.filter(({ points }) => points > 0 && points === most);
  const kept = adds || keeps === "all" ? earning.filter(({ points }) => points > 0) : best;
  if (best.length < earning.length || (adds && kept.length > 1))
    leaveOut(encodeOmission("left_out_question_partial", { number: 0 }));
  const isSet = keeps === "sums";
  const answers = kept.map(({ condition }) =>
    childElements(condition, "conditionvar").flatMap((one) => wanted(one, isSet)),
  );
  // Any other answer earns these points, or one of several sets of options.
  if (!isSet && answers.some((one) => one.length === 0)) refuseComputed("not");
  const sets = answers.map((one) => one.map(deepElementText).toSorted().join("\n"));
  if (isSet && !adds && new Set(sets).size > 1) refuseComputed("respcondition");
  return answers.flat();
}

type Answered = Pick<Asked, "kind" | "options" | "answer">;

function choiceOf(item: Element, presentation: Element, wording: Wording): Answered {
  const [response, ...others] = responsesIn(presentation);
  if (!response || others.length > 0) throw new NotUnderstood("left_out_question_several_choices");
  const labels = descendants(response).filter(({ name }) => name === "response_label");
  const idents = labels.map((label) => label.attributes["ident"] ?? "");
  const ids = shortenOptionIds(idents);
  const options = labels.map((label, index) => ({
    id: ids[index] ?? "",
    text: childElements(label)
      .filter(({ name }) => name === "material" || name === "flow_mat")
      .flatMap((one) =>
        one.name === "material" ? [one] : descendants(one).filter(({ name }) => name === "material"),
      )
      .map((one) => materialText(one, wording))
      .join("\n\n"),
  }));
  const contents = labels.map((label) => JSON.stringify(label.children));
  const texts = options.map(({ text }) => text);
  if (hasOptionsWithEqualPlainText(texts, contents))
    throw new NotUnderstood("left_out_question_options_alike");
  const isMultiple = (response.attributes["rcardinality"] ?? "").toLowerCase() === "multiple";
  const equal = wantedOf(item, wording.leaveOut, isMultiple ? "sums" : "best").filter(
    ({ name }) => name === "varequal",
  );
  const right = [
    ...new Set(equal.map((one) => ids[idents.indexOf(deepElementText(one))] ?? deepElementText(one))),
  ];
  if (isMultiple) return { kind: "MULTIPLE_CHOICE", options, answer: { option_ids: right } };
  if (right.length > 1) throw new NotUnderstood("left_out_question_several_right");
  const said = options.find(({ id }) => id === right[0])?.text.toLowerCase();
  const truths = options.map(({ text }) => text.toLowerCase()).toSorted();
  if (said && truths.join() === "false,true")
    return { kind: "TRUE_FALSE", answer: { value: said === "true" } };
  return { kind: "SINGLE_CHOICE", options, answer: right[0] === undefined ? {} : { option_id: right[0] } };
}

function entryOf(item: Element, presentation: Element, leaveOut: ReportOmission): Answered {
  const [response, ...others] = responsesIn(presentation);
  if (!response || others.length > 0) throw new NotUnderstood("left_out_question_several_gaps");
  const [fib] = descendants(response).filter(({ name }) => name === "render_fib");
  const isNumeric =
    /^(decimal|integer)$/i.test(fib?.attributes["fibtype"] ?? "") || response.name === "response_num";
  const conditions = wantedOf(item, leaveOut, isNumeric ? "best" : "all");
  const equal = conditions.filter(({ name }) => name === "varequal");
  const [nested] = equal.flatMap((one) => childElements(one));
  if (nested) throw new NotUnderstood("left_out_question_part_lost", { element: truncate(nested.name, 100) });
  const texts = equal.map(deepElementText);
  const withCase = equal.find(({ attributes }) => /^yes$/i.test(attributes["case"] ?? ""));
  if (withCase && !isNumeric)
    leaveOut(encodeOmission("left_out_question_setting", { number: 0, setting: "case", value: "Yes" }));
  if (!isNumeric) return { kind: "SHORT_ANSWER", answer: { texts: [...new Set(texts)] } };
  const bound = (...names: string[]) =>
    conditions
      .filter(({ name }) => names.includes(name))
      .map(deepElementText)
      .map(numberIn);
  const [low, high] = [bound("vargte", "vargt"), bound("varlte", "varlt")];
  if (low.length > 1 || high.length > 1 || texts.length > 1)
    throw new NotUnderstood("left_out_question_several_ranges");
  const value =
    texts[0] !== undefined
      ? numberIn(texts[0])
      : low[0] !== undefined && high[0] !== undefined
        ? decimalMiddle(low[0], high[0])
        : Number.NaN;
  if (!Number.isFinite(value)) throw new NotUnderstood("left_out_question_without_number");
  const [below_, above] = [
    low[0] === undefined ? 0 : decimalDifference(value, low[0]),
    high[0] === undefined ? 0 : decimalDifference(high[0], value),
  ];
  if (Math.abs(below_ - above) > 1e-9 * Math.max(1, Math.abs(value)))
    throw new NotUnderstood("left_out_question_lopsided");
  return { kind: "NUMERIC", answer: { value, tolerance: Math.max(0, above) } };
}

function numberIn(text: string): number {
  const value = parseDecimalText(text);
  if (!Number.isFinite(value)) throw new NotUnderstood("left_out_question_no_number");
  return value;
}
