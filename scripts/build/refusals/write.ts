import { everyErrorCode } from "../every-error-code.ts";

/** What each refusal says by its code, as the application has it in each further language. A directory reads its own. */
export const writeRefusals = (): string =>
  `${JSON.stringify(
    Object.fromEntries(
      everyErrorCode.filter(({ code }) => !code.startsWith("scim_")).map(({ code, words }) => [code, words]),
    ),
    null,
    2,
  )}\n`;
