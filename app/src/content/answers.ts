import type { Schemas } from "learning-platform-client";
import { formatUnroundedNumber, parseTypedNumber } from "../components/localized-number.ts";
import type { AttemptQuestionResponse } from "./unsaved-answers.ts";

type Question = Schemas["AttemptQuestion"];

/** The value of a question's field. Numbers stay as typed text. */
export const answerFieldValue = (
  { kind }: Question,
  response: AttemptQuestionResponse,
): AttemptQuestionResponse =>
  kind === "NUMERIC" && typeof response === "number" ? formatUnroundedNumber(response) : response;

/** The value to send, or undefined if the text is not a valid answer. */
export function parseTypedAnswer(
  { kind }: Question,
  typed: AttemptQuestionResponse,
): AttemptQuestionResponse | undefined {
  if (kind !== "NUMERIC" || typeof typed !== "string") return typed;
  const read = parseTypedNumber(typed);
  if (read === "none") return undefined;
  return read === "empty" ? null : read;
}

export function isAnswered(response: AttemptQuestionResponse | undefined): boolean {
  if (typeof response === "string") return response.trim() !== "";
  if (Array.isArray(response)) return response.length > 0;
  return response !== undefined && response !== null;
}
