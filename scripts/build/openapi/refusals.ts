import { everyErrorCode } from "../every-error-code.ts";
import type { CodesByStatus } from "../refusals/of-operations.ts";

const words = new Map(everyErrorCode.map((one) => [one.code, one.words]));

/** An operation's own error codes as a Markdown list; undefined without any. */
export function describeRefusals(codes: CodesByStatus): string | undefined {
  const lines = Object.entries(codes).flatMap(([status, all]) =>
    all.map((code) => `- ${status} \`${code}\`: ${words.get(code)}`),
  );
  return lines.length > 0 ? ["Errors, by `X-Error-Code`:", "", ...lines].join("\n") : undefined;
}
