import { everyErrorCode } from "../every-error-code.ts";
import type { CodesByStatus } from "../refusals/of-operations.ts";

const words = new Map(everyErrorCode.map((one) => [one.code, one.words]));

/** The rules that an operation's refusals are of, as a list in Markdown; undefined where it has none of its own. */
export function describeRefusals(codes: CodesByStatus): string | undefined {
  const lines = Object.entries(codes).flatMap(([status, all]) =>
    all.map((code) => `- ${status} \`${code}\`: ${words.get(code)}`),
  );
  return lines.length > 0 ? ["What it refuses, by `X-Error-Code`:", "", ...lines].join("\n") : undefined;
}
