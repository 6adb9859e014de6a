import { figure } from "../format.ts";
import { currentLanguage } from "../texts.ts";
import { typed } from "./form.tsx";
import { decimalSign, readNumber, type TypedNumber, writeNumber } from "./typed-number.ts";

/** Not rounded, and as the reader would type it. */
export const exact = figure((value) => writeNumber(value, decimalSign(currentLanguage())));

/** What people have typed, by the decimal sign of their language. */
export const readTyped = (text: string): TypedNumber => readNumber(text, decimalSign(currentLanguage()));

/** A number that was typed; null for an empty field. */
export const numberOrNull = (fields: FormData, name: string): number | null => {
  const read = readTyped(typed(fields, name));
  // No form is sent with what is no number.
  if (read === "none") throw new Error(`${name} is no number`);
  return read === "empty" ? null : read;
};
