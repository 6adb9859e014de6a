import { omissionMessages } from "../../../lib/platform/results/omission-codes.ts";
import { everyErrorCode } from "../every-error-code.ts";

/**
 * Messages of errors and omissions by code, for the application's other languages. SCIM errors are excluded: directories read
 * English.
 */
export const writeRefusals = (): string =>
  `${JSON.stringify(
    Object.fromEntries(
      [
        ...everyErrorCode
          .filter(({ code }) => !code.startsWith("scim_"))
          .map(({ code, words }): [string, string] => [code, words]),
        ...Object.entries(omissionMessages),
      ].sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    null,
    2,
  )}\n`;
