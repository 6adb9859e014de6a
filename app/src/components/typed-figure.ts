import { figure } from "../format.ts";
import { currentLanguage } from "../texts.ts";
import { typed } from "./form.tsx";
import { decimalSign, readNumber, type TypedNumber, writeNumber } from "./typed-number.ts";

/** Unrounded, in the reader's number format. */
export const exact = figure((value) => writeNumber(value, decimalSign(currentLanguage())));

/** Parses typed text by the decimal separator of the user's language. */
export const readTyped = (text: string): TypedNumber => readNumber(text, decimalSign(currentLanguage()));

export const numberOrNull = (fields: FormData, name: string): number | null => {
  const read = readTyped(typed(fields, name));
  // Validation prevents this.
  if (read === "none") throw new Error(`${name} is no number`);
  return read === "empty" ? null : read;
};
