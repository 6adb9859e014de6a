import type { Context } from "hono";
import type { ExpectedVersions } from "../db/query/versions.ts";
import type { FieldIssue } from "../errors.ts";

/** One or several entity tags. Each character has one way to match, so that a long header takes no longer. */
const tags = /^(?:W\/)?"[^"\s]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"\s]*")*$/;

const malformed = 'Input should be a version in double quotes, such as "7", a list of them, or *';

/**
 * What `If-Match` asks for: `"7"` a version, `"7", "8"` one of them; without the header and with `*` any. Tags are compared
 * strongly (RFC 9110, 13.1.1): a weak one, and one that is no version, match nothing. The fault of what is no such list.
 */
export function readIfMatch(c: Context): { versions: ExpectedVersions; fault?: FieldIssue } {
  const header = c.req.header("if-match")?.trim();
  if (header === undefined || header === "*") return { versions: undefined };
  if (!tags.test(header))
    return {
      versions: undefined,
      fault: { loc: ["header", "if-match"], msg: malformed, type: "value_error" },
    };
  const listed = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return { versions: listed.flatMap((tag) => versionIn(tag) ?? []) };
}

/** The version of a strong tag, as it is written in an answer; none for what no column holds. */
function versionIn(tag: string): number | undefined {
  const version = Number(/^"(0|[1-9]\d{0,9})"$/.exec(tag)?.[1] ?? Number.NaN);
  return version <= 2_147_483_647 ? version : undefined;
}
