import type { QuestionKind } from "../../schema/enums.ts";
import { isWithinTolerance } from "./exact-decimal.ts";
import { normalText } from "./normal-text.ts";

/** What makes an answer right; which key is set depends on the question's kind. */
export type AnswerKey = {
  option_id?: string | undefined;
  option_ids?: string[] | undefined;
  value?: boolean | number | undefined;
  tolerance?: number | undefined;
  texts?: string[] | undefined;
};

/** What a learner answered: an option's id or several, a truth value, a number or a text; null for nothing. */
export type Response = string | string[] | number | boolean | null;

type Kind = Uppercase<QuestionKind>;

/**
 * Whether an answer is right, all of it or nothing: of several options it takes all the right ones and no other. A
 * number is right within the tolerance, and a text that reads like one of those accepted. Pure.
 */
export function isRight(kind: Kind, key: AnswerKey, response: Response): boolean {
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
      return typeof response === "string" && isAccepted(response, key.texts ?? []);
  }
}

function haveSameMembers(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((member) => other.has(member));
}

function isAccepted(response: string, texts: readonly string[]): boolean {
  const said = normalText(response);
  return texts.some((text) => normalText(text) === said);
}
