import { omissionMessages } from "../../../lib/platform/results/omission-codes.ts";
import { everyErrorCode } from "../every-error-code.ts";

/**
 * Messages of errors and omissions by code, for the application's other languages. Errors of SCIM and OneRoster are excluded:
 * other systems read English.
 */
export const writeRefusals = (): string =>
  `${JSON.stringify(
    Object.fromEntries(
      [
        ...everyErrorCode
          .filter(({ code }) => !/^(scim|imsx)_/.test(code))
          .map(({ code, words }): [string, string] => [code, words]),
        ...Object.entries(omissionMessages),
      ].sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    null,
    2,
  )}\n`;
