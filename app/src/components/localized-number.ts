import { formatterWithDashForMissing } from "../format.ts";
import { currentLanguage } from "../texts.ts";
import { readTextField } from "./form.tsx";
import {
  decimalSeparatorOfLanguage,
  formatNumberForInput,
  type NumberOrEmptyOrInvalid,
  parseNumberWithDecimalSeparator,
} from "./typed-number.ts";

/** Unrounded, in the reader's number format. */
export const formatUnroundedNumber = formatterWithDashForMissing((value) =>
  formatNumberForInput(value, decimalSeparatorOfLanguage(currentLanguage())),
);

/** Parses typed text by the decimal separator of the user's language. */
export const parseTypedNumber = (text: string): NumberOrEmptyOrInvalid =>
  parseNumberWithDecimalSeparator(text, decimalSeparatorOfLanguage(currentLanguage()));

export const readNumberFieldOrNull = (fields: FormData, name: string): number | null => {
  const read = parseTypedNumber(readTextField(fields, name));
  // Validation prevents this.
  if (read === "none") throw new Error(`${name} is no number`);
  return read === "empty" ? null : read;
};
