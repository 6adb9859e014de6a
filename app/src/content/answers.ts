import type { Schemas } from "learning-platform-client";
import { exact, readTyped } from "../components/typed-figure.ts";
import type { Response } from "./unsaved-answers.ts";

type Question = Schemas["AttemptQuestion"];

/** What stands in the field of a question: of a number its text, as it is typed. */
export const typedOf = ({ kind }: Question, response: Response): Response =>
  kind === "NUMERIC" && typeof response === "number" ? exact(response) : response;

/** What is sent for it; undefined where it is no answer, such as no number. */
export function responseOf({ kind }: Question, typed: Response): Response | undefined {
  if (kind !== "NUMERIC" || typeof typed !== "string") return typed;
  const read = readTyped(typed);
  if (read === "none") return undefined;
  return read === "empty" ? null : read;
}

/** Whether it is an answer at all. */
export function isGiven(response: Response | undefined): boolean {
  if (typeof response === "string") return response.trim() !== "";
  if (Array.isArray(response)) return response.length > 0;
  return response !== undefined && response !== null;
}
