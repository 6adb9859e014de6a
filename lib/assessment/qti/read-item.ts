import type * as z from "zod";
import { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { firstIssue } from "../../platform/validation/issues.ts";
import { becomeAlike } from "./become-alike.ts";
import { isPartial } from "./partial-credit.ts";
import { proseOf, type Reading } from "./prose.ts";
import { type Element, type Node, parseXml, QtiError } from "./xml.ts";

/** With the elements that a question cannot represent. */
export type ReadItem = { question: QuestionCreate; leftOut: string[] };

/**
 * A QTI 2 or 3 file with one item. Returns undefined if it has none, such as a manifest or a test. Throws
 * `QtiError` if it was not understood.
 */
export function readItem(source: string): ReadItem | undefined {
  const item = parseXml(source);
  if (item.name === "manifest" || item.name === "assessmentTest") return undefined;
  if (item.name !== "assessmentItem") throw new QtiError("qti_root_unknown", { name: item.name });
  const leftOut = new Set<string>();
  const asked = askedBy(item, (what) => leftOut.add(what));
  const checked = QuestionCreate.safeParse(asked);
  if (checked.success) return { question: checked.data, leftOut: [...leftOut] };
  throw new QtiError("qti_question_invalid", firstIssue(asked, checked.error, "question"));
}

type LeaveOut = (what: string) => void;

/** Without them, the question asks something else. */
const essential = new Set(["img", "math", "svg"]);

/** For the stem and the options. Throws `QtiError` for a part that must not be lost. */
const leavingOutOf =
  (leaveOut: LeaveOut): LeaveOut =>
  (what) => {
    if (essential.has(what)) throw new QtiError("qti_part_lost", { name: what });
    leaveOut(what);
  };

function askedBy(item: Element, leaveOut: LeaveOut): z.input<typeof QuestionCreate> {
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
  for (const { name } of [...item.children, ...body.children].filter((child) => typeof child !== "string"))
    if (unread.has(name)) leaveOut(name);

  const asking = { leaveOut: leavingOutOf(leaveOut) };
  const prompt = below(interaction, "prompt");
  const around = proseOf(body.children, {
    ...asking,
    skips: (one) => one === interaction || unread.has(one.name),
  });
  const question_text = [around, proseOf(prompt, asking)].filter(Boolean).join("\n\n");
  const common = {
    question_text: question_text || (item.attributes["title"] ?? ""),
    explanation: explanationOf(item, leaveOut),
    points: pointsOf(item),
    is_active: item.attributes["label"] !== "inactive",
  };
  if (interaction.name === "choiceInteraction")
    return { ...common, ...choiceOf(interaction, response, asking) };
  if (interaction.name === "textEntryInteraction") return { ...common, ...entryOf(item, response) };
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

function choiceOf(interaction: Element, response: Element, asking: Reading): Answered {
  const choices = below(interaction, "simpleChoice");
  const options = choices.map(({ attributes, children }) => ({
    id: attributes["identifier"] ?? "",
    text: proseOf(children, { ...asking, skips: (one) => unread.has(one.name) }),
  }));
  const contents = choices.map(({ children }) => JSON.stringify(children));
  if (
    becomeAlike(
      options.map(({ text }) => text),
      contents,
    )
  )
    throw new QtiError("qti_options_alike");
  const right = rightValues(response);
  if (response.attributes["cardinality"] === "multiple")
    return {
      ...{ kind: "MULTIPLE_CHOICE", options, answer: { option_ids: right } },
      ...(isPartial(response, right) && { scoring: "partial" as const }),
    };
  const truths = options.map(({ text }) => text.toLowerCase()).toSorted();
  const said = options.find(({ id }) => id === right[0])?.text.toLowerCase();
  if (truths.join() === "false,true" && said)
    return { kind: "TRUE_FALSE", answer: { value: said === "true" } };
  return { kind: "SINGLE_CHOICE", options, answer: right[0] === undefined ? {} : { option_id: right[0] } };
}

function entryOf(item: Element, response: Element): Answered {
  const { baseType = "string" } = response.attributes;
  const right = rightValues(response);
  if (baseType === "string") return { kind: "SHORT_ANSWER", answer: { texts: right } };
  if (baseType !== "float" && baseType !== "integer")
    throw new QtiError("qti_entry_unknown", { name: baseType });
  const value = numberIn(right[0], "qti_response_no_number");
  return { kind: "NUMERIC", answer: { value, tolerance: toleranceOf(item) } };
}

/** The correct response, or the values to which a mapping gives points, best first. */
function rightValues(response: Element): string[] {
  const correct = below(response, "correctResponse").flatMap((one) => below(one, "value"));
  const mapped = below(response, "mapping")
    .flatMap((mapping) => below(mapping, "mapEntry"))
    .map(({ attributes: { mapKey = "", mappedValue } }) => ({ mapKey, worth: Number(mappedValue) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((one, two) => two.worth - one.worth)
    .map(({ mapKey }) => mapKey);
  const isOpen = response.attributes["baseType"] === "string";
  const stated = correct.map(({ children }) =>
    children
      .filter((child) => typeof child === "string")
      .join("")
      .trim(),
  );
  const values = stated.length > 0 && !isOpen ? stated : [...stated, ...mapped];
  return [...new Set(values)];
}

/** Of a numeric comparison; 0 for an exact comparison and for templates. */
function toleranceOf(item: Element): number {
  const processing = below(item, "responseProcessing").flatMap(descendants);
  const [compared] = processing.filter(({ name }) => name === "equal");
  if (!compared) {
    if (processing.some(({ name }) => /^([gl]te?|equalRounded|customOperator)$/.test(name)))
      throw new QtiError("qti_comparison_unknown");
    return 0;
  }
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
  const value = Number(source?.trim() || Number.NaN);
  if (!Number.isFinite(value)) throw new QtiError(otherwise);
  return value;
}

/** The maximum of the score outcome or, as many programs write it, of a separate outcome. Defaults to 1. */
function pointsOf(item: Element): number {
  const outcomes = below(item, "outcomeDeclaration");
  const outcome = (name: string) => outcomes.find(({ attributes }) => attributes["identifier"] === name);
  const stated = outcome("SCORE")?.attributes["normalMaximum"] ?? defaultOf(outcome("MAXSCORE")) ?? "1";
  return Math.round(numberIn(stated, "qti_points_no_number") * 100) / 100;
}

function defaultOf(outcome: Element | undefined): string | undefined {
  const [value] = outcome ? below(outcome, "defaultValue").flatMap((one) => below(one, "value")) : [];
  return value?.children.filter((child) => typeof child === "string").join("");
}

/** The feedback on the whole item if there is exactly one. Several depend on the answer, so none is used. */
function explanationOf(item: Element, leaveOut: LeaveOut): string | null {
  const feedback = below(item, "modalFeedback");
  if (feedback.length > 1) leaveOut("modalFeedback");
  const [only] = feedback.length === 1 ? feedback : [];
  return (only && proseOf(only.children, { leaveOut })) || null;
}

const isElement = (node: Node): node is Element => typeof node !== "string";

const below = ({ children }: Element, name: string): Element[] =>
  children.filter(isElement).filter((child) => child.name === name);

const descendants = ({ children }: Element): Element[] =>
  children.filter(isElement).flatMap((child) => [child, ...descendants(child)]);
