import { formatterWithDashForMissing } from "../format.ts";
import { currentLanguage } from "../texts.ts";
import { textField } from "./form.tsx";
import {
  decimalSeparator,
  formatNumberForInput,
  parseNumberWithSeparator,
  type TypedNumber,
} from "./typed-number.ts";

/** Unrounded, in the reader's number format. */
export const formatExact = formatterWithDashForMissing((value) =>
  formatNumberForInput(value, decimalSeparator(currentLanguage())),
);

/** Parses typed text by the decimal separator of the user's language. */
export const parseTypedNumber = (text: string): TypedNumber =>
  parseNumberWithSeparator(text, decimalSeparator(currentLanguage()));

export const numberFieldOrNull = (fields: FormData, name: string): number | null => {
  const read = parseTypedNumber(textField(fields, name));
  // Validation prevents this.
  if (read === "none") throw new Error(`${name} is no number`);
  return read === "empty" ? null : read;
};
