import { everyErrorCode } from "../every-error-code.ts";

/**
 * Error messages by code in the application's other languages. SCIM errors are excluded: directories read
 * English.
 */
export const writeRefusals = (): string =>
  `${JSON.stringify(
    Object.fromEntries(
      everyErrorCode.filter(({ code }) => !code.startsWith("scim_")).map(({ code, words }) => [code, words]),
    ),
    null,
    2,
  )}\n`;
