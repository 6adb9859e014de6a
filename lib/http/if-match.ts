import type { Context } from "hono";
import type { FieldIssue } from "../errors.ts";
import type { ExpectedVersions } from "../platform/db/query/versions.ts";

/** Entity tags. Each character matches in only one way: linear time. */
const tags = /^(?:W\/)?"[^"\s]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"\s]*")*$/;

const malformed = 'Input should be a version in double quotes, such as "7", a list of them, or *';

/**
 * The versions in `If-Match`: `"7"`, or one of `"7", "8"`; any without the header and for `*`. Comparison is
 * strong (RFC 9110, 13.1.1): weak and unknown tags match nothing. Returns an issue for malformed lists.
 */
export function readIfMatch(c: Context): { versions: ExpectedVersions; issue?: FieldIssue } {
  const header = c.req.header("if-match")?.trim();
  if (header === undefined || header === "*") return { versions: undefined };
  if (!tags.test(header))
    return {
      versions: undefined,
      issue: { loc: ["header", "if-match"], msg: malformed, type: "value_error" },
    };
  const listed = header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return { versions: listed.flatMap((tag) => versionIn(tag) ?? []) };
}

/** Undefined if a strong tag is not a 32-bit integer. */
function versionIn(tag: string): number | undefined {
  const version = Number(/^"(0|[1-9]\d{0,9})"$/.exec(tag)?.[1] ?? Number.NaN);
  return version <= 2_147_483_647 ? version : undefined;
}
