import { formatterOf } from "../format.ts";
import { currentLanguage } from "../texts.ts";
import { textField } from "./form.tsx";
import { decimalSign, readNumber, type TypedNumber, writeNumber } from "./typed-number.ts";

/** Unrounded, in the reader's number format. */
export const formatExact = formatterOf((value) => writeNumber(value, decimalSign(currentLanguage())));

/** Parses typed text by the decimal separator of the user's language. */
export const parseTypedNumber = (text: string): TypedNumber =>
  readNumber(text, decimalSign(currentLanguage()));

export const numberOrNull = (fields: FormData, name: string): number | null => {
  const read = parseTypedNumber(textField(fields, name));
  // Validation prevents this.
  if (read === "none") throw new Error(`${name} is no number`);
  return read === "empty" ? null : read;
};
