import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { parseDecimalText } from "../../platform/text/decimal-text.ts";
import { plainTextToMarkdown } from "../../platform/text/plain-text-markdown.ts";
import { describeFirstIssue } from "../../platform/validation/issues.ts";
import { hasOptionsWithEqualPlainText } from "./become-alike.ts";
import { unomittableElementNames } from "./essential-elements.ts";
import { shortenOptionIds } from "./option-ids.ts";
import { hasPartialCreditMapping } from "./partial-credit.ts";
import { type QtiToPlainTextCallbacks, qtiToPlainText } from "./plain-text.ts";
import { type Element, type Node, parseQtiXml, QtiError } from "./xml.ts";

/** With the elements that a question cannot represent. */
export type ParsedQtiItem = { question: QuestionCreate; leftOut: string[] };

type PictureAt = NonNullable<QtiToPlainTextCallbacks["pictureAt"]>;

/**
 * A QTI 2 or 3 file with one item; `pictureAt` knows the files of its package. Returns undefined if it has none, such as a manifest or a test. Throws
 * `QtiError` if it was not understood.
 */
export function parseQtiItem(source: string, pictureAt?: PictureAt): ParsedQtiItem | undefined {
  const item = parseQtiXml(source);
  if (item.name === "manifest" || item.name === "assessmentTest") return undefined;
  if (item.name !== "assessmentItem") throw new QtiError("qti_root_unknown", { name: item.name });
  refuseComputed(item);
  const leftOut = new Set<string>();
  const asked = askedBy(item, {
    leaveOut: (what) => leftOut.add(what),
    ...(pictureAt && { pictureAt }),
    isMarkdown: hasMarkdown(item),
  });
  const checked = QuestionCreate.safeParse(asked);
  if (checked.success) return { question: checked.data, leftOut: [...leftOut] };
  throw new QtiError("qti_question_invalid", describeFirstIssue(asked, checked.error, "question"));
}

/** Items of `exportQti`, which wrote Markdown without a class. */
const hasMarkdown = ({ attributes: { identifier = "", title = "" } }: Element): boolean =>
  /^question-\d+$/.test(identifier) && title.endsWith(identifier.replace("question-", " "));

type LeaveOut = (what: string) => void;

/** Templates give each learner another question and key. */
const templates = new Set(["templateDeclaration", "templateProcessing"]);

/** The parts of `match` and `map`, with feedback. Others could compute another score. */
const processed = new Set([
  ...["responseCondition", "responseIf", "responseElse", "responseElseIf", "setOutcomeValue", "exitResponse"],
  ...["match", "equal", "mapResponse", "isNull", "variable", "correct", "baseValue", "sum", "not"],
]);

const standardTemplate = /\/(match_correct|map_response|CC2_match|CC2_map_response)(\.xml)?$/;

const comparison = /^([gl]te?|equalRounded|customOperator)$/;

/** Throws for a computed key or score that a question cannot represent. */
function refuseComputed(item: Element): void {
  const inner = item.children.filter(isElement);
  const template = inner.find(({ name }) => templates.has(name));
  if (template) throw new QtiError("qti_template", { name: template.name });
  for (const processing of inner.filter(({ name }) => name === "responseProcessing")) {
    const { template: address = "" } = processing.attributes;
    if (address !== "" && !standardTemplate.test(address))
      throw new QtiError("qti_processing_unknown", { name: address.slice(0, 200) });
    const unknown = descendants(processing).find((one) => !processed.has(one.name) || matchesValue(one));
    if (unknown && comparison.test(unknown.name)) throw new QtiError("qti_comparison_unknown");
    if (unknown) throw new QtiError("qti_processing_unknown", { name: unknown.name });
    // Points without the correct answer, or none for it.
    const odd = scoresIn(processing).find(({ answer, points }) =>
      points > 0 ? answer !== "correct" && answer !== "any" : answer === "correct",
    );
    if (odd) throw new QtiError("qti_processing_unknown", { name: odd.branch });
  }
}

/** Answers that reach a branch of the response processing. */
type Reaching = "correct" | "wrong" | "any" | "none" | "unknown";

const opposite = {
  correct: "wrong",
  wrong: "correct",
  any: "none",
  none: "any",
  unknown: "unknown",
} as const;

/** Fixed scores, and the branches that set them. */
function scoresIn(parent: Element, answer: Reaching = "unknown") {
  const scores: { branch: string; answer: Reaching; points: number }[] = [];
  let others: Reaching = "unknown";
  for (const one of parent.children.filter(isElement)) {
    if (one.name === "setOutcomeValue") {
      const points = one.attributes["identifier"] === "SCORE" ? fixedPoints(one) : undefined;
      if (points !== undefined) scores.push({ branch: parent.name, answer, points });
    } else if (one.name === "responseCondition") scores.push(...scoresIn(one, answer));
    else if (one.name === "responseElse") scores.push(...scoresIn(one, others));
    else if (one.name === "responseIf" || one.name === "responseElseIf") {
      const reaching = reachingBy(one.children.find(isElement));
      others = others === "unknown" || others === "any" ? opposite[reaching] : others;
      scores.push(...scoresIn(one, reaching));
    }
  }
  return scores;
}

function reachingBy(condition: Element | undefined): Reaching {
  if (condition?.name === "not") return opposite[reachingBy(condition.children.find(isElement))];
  if (condition?.name === "isNull") return "none";
  const isKey = condition !== undefined && /^(match|equal)$/.test(condition.name);
  return isKey && below(condition, "correct").length > 0 ? "correct" : "unknown";
}

/** Undefined if it depends on a mapping or another outcome. */
function fixedPoints(set: Element): number | undefined {
  const parts = descendants(set);
  if (parts.some(({ name }) => name === "mapResponse")) return undefined;
  const values = parts.filter(({ name }) => name === "baseValue");
  if (values.length > 0)
    return values.reduce((sum, { children }) => sum + Number(children.filter(isText).join("")), 0);
  const isMaximum = parts.some(({ attributes }) => attributes["identifier"] === "MAXSCORE");
  return isMaximum ? Number.POSITIVE_INFINITY : undefined;
}

/** Scores as a file of the package says, which is not read. */
const isElsewhere = ({ attributes: { template = "", templateLocation = "" } }: Element): boolean =>
  template === "" && templateLocation !== "";

/** A response that is compared with a fixed value has another key than the stated one. */
function matchesValue({ name, children }: Element): boolean {
  const compared = children.filter(isElement);
  return (
    (name === "match" || name === "equal") &&
    compared.some((one) => one.name === "baseValue") &&
    compared.some((one) => one.name === "variable" && one.attributes["identifier"] !== "SCORE")
  );
}

/** Parts of an item that are read, or have no effect. */
const readParts = new Set([
  ...["responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing", "modalFeedback"],
  ...["contextDeclaration", "catalogInfo"],
]);

/** For stem and options. Throws `QtiError` for a part that must not be lost. */
const leavingOutOf =
  (leaveOut: LeaveOut): LeaveOut =>
  (what) => {
    if (unomittableElementNames.has(what)) refuseLost(what);
    leaveOut(what);
  };

const refuseLost = (name: string): never => {
  throw new QtiError("qti_part_lost", { name });
};

function askedBy(item: Element, reading: QtiToPlainTextCallbacks): z.input<typeof QuestionCreate> {
  const { leaveOut } = reading;
  const [body] = below(item, "itemBody");
  const interactions = body ? descendants(body).filter(({ name }) => name.endsWith("Interaction")) : [];
  const [interaction] = interactions;
  if (!body || !interaction) throw new QtiError("qti_no_interaction");
  if (interactions.length > 1) throw new QtiError("qti_several_interactions", { count: interactions.length });
  const { responseIdentifier } = interaction.attributes;
  const response = below(item, "responseDeclaration").find(
    ({ attributes }) => attributes["identifier"] === responseIdentifier,
  );
  if (!response) throw new QtiError("qti_no_response");
  for (const { name } of item.children.filter(isElement)) if (!readParts.has(name)) leaveOut(name);
  for (const { name } of descendants(body)) if (unread.has(name)) leaveOut(name);
  if (below(item, "responseProcessing").some(isElsewhere)) leaveOut("responseProcessing");

  const asking = { ...reading, leaveOut: leavingOutOf(leaveOut), lose: refuseLost };
  const prompt = below(interaction, "prompt");
  const around = qtiToPlainText(body.children, {
    ...asking,
    skips: (one) => one === interaction || unread.has(one.name),
  });
  const question_text = [around, qtiToPlainText(prompt, asking)].filter(Boolean).join("\n\n");
  const common = {
    question_text: question_text || plainTextToMarkdown(item.attributes["title"] ?? ""),
    explanation: explanationOf(item, reading),
    points: (isMapped(item) ? mappedPoints(response) : undefined) ?? pointsOf(item),
    is_active: item.attributes["label"] !== "inactive",
  };
  if (interaction.name === "choiceInteraction")
    return { ...common, ...choiceOf(interaction, response, { ...asking, isMapped: isMapped(item) }) };
  if (interaction.name === "textEntryInteraction") return { ...common, ...entryOf(item, response, leaveOut) };
  throw new QtiError("qti_interaction_unknown", { name: interaction.name });
}

/** Elements without a counterpart in a question that do not affect what is asked. */
const unread = new Set([
  "rubricBlock",
  "feedbackBlock",
  "feedbackInline",
  "stylesheet",
  "templateBlock",
  "companionMaterialsInfo",
]);

type Answered = Pick<z.input<typeof QuestionCreate>, "kind" | "options" | "answer" | "scoring">;

function choiceOf(
  interaction: Element,
  response: Element,
  asking: QtiToPlainTextCallbacks & { isMapped: boolean },
): Answered {
  const choices = below(interaction, "simpleChoice");
  const identifiers = choices.map(({ attributes }) => attributes["identifier"] ?? "");
  const ids = shortenOptionIds(identifiers);
  const options = choices.map(({ children }, at) => ({
    id: ids[at] ?? "",
    text: qtiToPlainText(children, { ...asking, skips: (one) => unread.has(one.name) }),
  }));
  const contents = choices.map(({ children }) => JSON.stringify(children));
  const texts = options.map(({ text }) => text);
  if (hasOptionsWithEqualPlainText(texts, contents)) throw new QtiError("qti_options_alike");
  const values = rightValues(response);
  const isMultiple = isSum(response);
  const scoring =
    isMultiple && asking.isMapped && hasPartialCreditMapping(response, values) ? "partial" : undefined;
  if (!scoring && losesPoints(response)) asking.leaveOut("mapping");
  const right = values.map((value) => ids[identifiers.indexOf(value)] ?? value);
  if (isMultiple)
    return { kind: "MULTIPLE_CHOICE", options, answer: { option_ids: right }, ...(scoring && { scoring }) };
  const truths = options.map(({ text }) => text.toLowerCase()).toSorted();
  const said = options.find(({ id }) => id === right[0])?.text.toLowerCase();
  if (truths.join() === "false,true" && said)
    return { kind: "TRUE_FALSE", answer: { value: said === "true" } };
  return { kind: "SINGLE_CHOICE", options, answer: right[0] === undefined ? {} : { option_id: right[0] } };
}

function entryOf(item: Element, response: Element, leaveOut: LeaveOut): Answered {
  const { baseType = "string" } = response.attributes;
  const right = rightValues(response);
  if (losesPoints(response)) leaveOut("mapping");
  if (below(response, "mapping").some(distinguishesCase)) leaveOut("caseSensitive");
  if (baseType === "string") return { kind: "SHORT_ANSWER", answer: { texts: right } };
  if (baseType !== "float" && baseType !== "integer")
    throw new QtiError("qti_entry_unknown", { name: baseType });
  const value = numberIn(right[0], "qti_response_no_number");
  return { kind: "NUMERIC", answer: { value, tolerance: toleranceOf(item) } };
}

const distinguishesCase = (mapping: Element): boolean =>
  below(mapping, "mapEntry").some(({ attributes }) => attributes["caseSensitive"] === "true");

type Mapped = { key: string; worth: number };

const mappedIn = (response: Element): Mapped[] =>
  below(response, "mapping")
    .flatMap((mapping) => below(mapping, "mapEntry"))
    .map(({ attributes: { mapKey = "", mappedValue } }) => ({ key: mapKey, worth: Number(mappedValue) }));

/** Whether the score is that of the mapping. */
const isMapped = (item: Element): boolean =>
  below(item, "responseProcessing").some(
    (one) =>
      /map_response/.test(one.attributes["template"] ?? "") ||
      descendants(one).some(({ name }) => name === "mapResponse"),
  );

/** Undefined without a mapping, or if it gives none. */
function mappedPoints(response: Element): number | undefined {
  const worths = mappedIn(response)
    .map(({ worth }) => worth)
    .filter((worth) => worth > 0);
  if (worths.length === 0) return undefined;
  const most = isSum(response) ? worths.reduce((sum, worth) => sum + worth, 0) : Math.max(...worths);
  const [bound] = below(response, "mapping").flatMap(({ attributes }) => attributes["upperBound"] ?? []);
  const upper = numberIn(bound ?? String(most), "qti_points_no_number");
  return Math.round(Math.min(most, upper) * 100) / 100;
}

const isSum = (response: Element): boolean => response.attributes["cardinality"] === "multiple";

/** Values to which a mapping gives points, and those that earn the most. */
function earningIn(response: Element): { earning: Mapped[]; best: Mapped[] } {
  const earning = mappedIn(response).filter(({ worth }) => worth > 0);
  const most = Math.max(0, ...earning.map(({ worth }) => worth));
  return { earning, best: earning.filter(({ worth }) => worth === most) };
}

/** A mapping gives some values a part of the points. */
function losesPoints(response: Element): boolean {
  const { earning, best } = earningIn(response);
  return isSum(response) ? mappedIn(response).length > 1 : best.length < earning.length;
}

/** The correct response, or the values to which a mapping gives points. */
function rightValues(response: Element): string[] {
  const correct = below(response, "correctResponse").flatMap((one) => below(one, "value"));
  const { earning, best } = earningIn(response);
  const isText = response.attributes["baseType"] === "string";
  // A text that earns a part of the points is accepted, a wrong option is not.
  const kept = isSum(response) || isText ? earning : best;
  const mapped = kept.toSorted((one, two) => two.worth - one.worth).map(({ key }) => key);
  const [nested] = correct.flatMap(({ children }) => children.filter(isElement));
  if (nested) refuseLost(nested.name);
  const stated = correct.map(({ children }) => children.join("").trim());
  const values = stated.length > 0 && !isText ? stated : [...stated, ...mapped];
  return [...new Set(values)];
}

/** Of a numeric comparison; 0 for an exact comparison and for templates. */
function toleranceOf(item: Element): number {
  const processing = below(item, "responseProcessing").flatMap(descendants);
  const [compared] = processing.filter(({ name }) => name === "equal");
  if (!compared) return 0;
  const { toleranceMode = "exact", tolerance = "" } = compared.attributes;
  if (toleranceMode === "exact") return 0;
  if (toleranceMode !== "absolute") throw new QtiError("qti_tolerance_unknown", { name: toleranceMode });
  const [below_, above = below_] = tolerance
    .split(/\s+/)
    .map((one) => numberIn(one, "qti_tolerance_no_number"));
  if (below_ !== above) throw new QtiError("qti_tolerance_lopsided");
  return below_ ?? 0;
}

type NoNumber = "qti_response_no_number" | "qti_tolerance_no_number" | "qti_points_no_number";

function numberIn(source: string | undefined, otherwise: NoNumber): number {
  const value = parseDecimalText(source ?? "");
  if (!Number.isFinite(value)) throw new QtiError(otherwise);
  return value;
}

/** The maximum of the score outcome or, as many programs write it, of a separate outcome; else what is earned. */
function pointsOf(item: Element): number {
  const outcomes = below(item, "outcomeDeclaration");
  const outcome = (name: string) => outcomes.find(({ attributes }) => attributes["identifier"] === name);
  const scores = below(item, "responseProcessing").flatMap((one) => scoresIn(one));
  const earned = Math.max(0, ...scores.map(({ points }) => points).filter(Number.isFinite)) || 1;
  const stated =
    outcome("SCORE")?.attributes["normalMaximum"] ?? defaultOf(outcome("MAXSCORE")) ?? String(earned);
  return Math.round(numberIn(stated, "qti_points_no_number") * 100) / 100;
}

function defaultOf(outcome: Element | undefined): string | undefined {
  const [value] = outcome ? below(outcome, "defaultValue").flatMap((one) => below(one, "value")) : [];
  return value?.children.filter((child) => typeof child === "string").join("");
}

/** The feedback on the whole item if there is exactly one. Several depend on the answer, so none is used. */
function explanationOf(item: Element, reading: QtiToPlainTextCallbacks): string | null {
  const feedback = below(item, "modalFeedback");
  if (feedback.length > 1) reading.leaveOut("modalFeedback");
  const [only] = feedback.length === 1 ? feedback : [];
  return (only && qtiToPlainText(only.children, reading)) || null;
}

const isElement = (node: Node): node is Element => typeof node !== "string";

const isText = (node: Node): node is string => typeof node === "string";

const below = ({ children }: Element, name: string): Element[] =>
  children.filter(isElement).filter((child) => child.name === name);

const descendants = ({ children }: Element): Element[] =>
  children.filter(isElement).flatMap((child) => [child, ...descendants(child)]);
