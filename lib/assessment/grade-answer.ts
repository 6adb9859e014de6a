import type { QuestionKind, QuestionScoring } from "../../schema/enums.ts";
import { normalizeForComparison } from "../platform/text/normal-text.ts";
import { isWithinTolerance } from "./exact-decimal.ts";

/** The question's kind determines which field is set. */
export type AnswerKey = {
  option_id?: string | undefined;
  option_ids?: string[] | undefined;
  value?: boolean | number | undefined;
  tolerance?: number | undefined;
  texts?: string[] | undefined;
};

/** Option ids, a truth value, a number or a text; null if unanswered. */
export type QuestionResponse = string | string[] | number | boolean | null;

type Kind = Uppercase<QuestionKind>;

/** A question with its key and a learner's response. */
export type AnsweredQuestion = {
  kind: Kind;
  points: number;
  scoring: QuestionScoring;
  answer: AnswerKey;
  response: QuestionResponse;
};

/**
 * The points that a response earns. With partial credit, each correct selection adds a share of the points
 * and each wrong one removes a share, down to 0 (as in Canvas). Rounded to hundredths.
 */
export function pointsForResponse(
  { kind, points, scoring, answer, response }: AnsweredQuestion,
  language?: string,
): number {
  const right = new Set(answer.option_ids);
  if (scoring !== "partial" || kind !== "MULTIPLE_CHOICE" || right.size === 0)
    return isResponseCorrect(kind, answer, response, language) ? points : 0;
  const chosen = [...new Set(Array.isArray(response) ? response : [])];
  const correct = chosen.filter((id) => right.has(id)).length;
  const net = Math.max(0, 2 * correct - chosen.length);
  return Math.round((Math.round(points * 100) * net) / right.size) / 100;
}

/**
 * All or nothing: of several options, exactly the correct ones. A number must be within the tolerance. A text
 * must equal an accepted one by the rules of the course's language.
 */
export function isResponseCorrect(
  kind: Kind,
  key: AnswerKey,
  response: QuestionResponse,
  language?: string,
): boolean {
  switch (kind) {
    case "SINGLE_CHOICE":
      return response !== null && response === key.option_id;
    case "MULTIPLE_CHOICE":
      return Array.isArray(response) && haveSameMembers(response, key.option_ids ?? []);
    case "TRUE_FALSE":
      return response !== null && response === key.value;
    case "NUMERIC":
      return (
        typeof response === "number" &&
        typeof key.value === "number" &&
        isWithinTolerance(response, key.value, key.tolerance ?? 0)
      );
    case "SHORT_ANSWER":
      return typeof response === "string" && isAccepted(response, key.texts ?? [], language);
  }
}

function haveSameMembers(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((member) => other.has(member));
}

/** An answer without visible characters is never accepted. */
function isAccepted(response: string, texts: readonly string[], language?: string): boolean {
  const said = normalizeForComparison(response, language);
  return said !== "" && texts.some((text) => normalizeForComparison(text, language) === said);
}
