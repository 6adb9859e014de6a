import type { Context } from "hono";
import type * as z from "zod";
import { type FieldIssue, ValidationError } from "../errors.ts";
import type { ExpectedVersions } from "../platform/db/query/versions.ts";
import { type RequestPart, toFieldIssues } from "../platform/validation/issues.ts";
import {
  findUndecodableTexts,
  findUnstorableValues,
  isDecodable,
} from "../platform/validation/unstorable.ts";
import { findForeignCursorIssue } from "./cursor.ts";
import type { Contract } from "./endpoint.ts";
import { readIfMatch } from "./if-match.ts";

export type ValidatedRequest = { params: unknown; query: unknown; body: unknown; ifMatch: ExpectedVersions };

export async function validateRequest(c: Context, contract: Contract): Promise<ValidatedRequest> {
  const issues = undecodableParts(c);
  const check = (source: RequestPart, schema: z.ZodType | undefined, input: unknown): unknown => {
    if (!schema) return undefined;
    const refused = findUnstorableValues(source, input);
    if (refused.length > 0) return void issues.push(...refused);
    const result = schema.safeParse(input);
    if (result.success) return result.data;
    issues.push(...toFieldIssues(source, input, result.error.issues));
    return undefined;
  };

  const params = check("path", contract.params, contract.params && c.req.param());
  const query = check("query", contract.query, contract.query && lastOfEach(c));
  const strayed = issues.length === 0 ? findForeignCursorIssue(contract, { params, query }) : undefined;
  if (strayed) issues.push(strayed);
  const ifMatch = contract.versioned && readIfMatch(c);
  if (ifMatch?.issue) issues.push(ifMatch.issue);
  const json = contract.body && (await readJson(c));
  const misnamed = contract.setsCookies && json && !isAbsent(json) ? contentTypeIssue(c) : undefined;
  if (misnamed) issues.push(misnamed);
  if (json?.issue) issues.push(json.issue);
  const body = json && !json.issue ? check("body", contract.body, json.value) : undefined;

  if (issues.length > 0) throw new ValidationError(issues);
  return { params, query, body, ifMatch: ifMatch?.versions };
}

/** Hono leaves a segment encoded if its bytes are not UTF-8. Queries would get U+FFFD. */
function undecodableParts(c: Context): FieldIssue[] {
  if (!c.req.url.includes("%")) return [];
  const parameters = isDecodable(c.req.path) ? [] : Object.entries(c.req.param());
  const search = new URL(c.req.url).search.slice(1);
  const pairs = isDecodable(search) ? [] : search.split("&").map(nameAndText);
  return [...findUndecodableTexts("path", parameters), ...findUndecodableTexts("query", pairs)];
}

const nameAndText = (pair: string): [name: string, text: string] => {
  const [name = "", ...text] = pair.split("=");
  return [name, text.join("=")];
};

/** The last value wins if a key is repeated. */
const lastOfEach = (c: Context): Record<string, string> =>
  c.req.url.includes("?") ? Object.fromEntries(new URL(c.req.url).searchParams) : {};

/** Cross-origin pages may send forms and plain text, which would allow login CSRF. */
function contentTypeIssue(c: Context): FieldIssue | undefined {
  const loc = ["header", "content-type"];
  const given = c.req.header("content-type");
  if (given === undefined) return { loc, msg: "Field required", type: "missing" };
  const [type = ""] = given.split(";");
  if (type.trim().toLowerCase() === "application/json") return undefined;
  return { loc, msg: "Input should be 'application/json'", type: "value_error" };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

type Json = { value: unknown; issue?: undefined } | { issue: FieldIssue };

const isAbsent = ({ issue }: Json): boolean => issue?.type === "missing";

/** Ignores the content type. Missing and malformed bodies have their own errors. */
async function readJson(c: Context): Promise<Json> {
  const bytes = await c.req.arrayBuffer();
  if (bytes.byteLength === 0) return { issue: { loc: ["body"], msg: "Field required", type: "missing" } };
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return { value: value === null ? undefined : value };
  } catch {
    return { issue: { loc: ["body"], msg: "JSON decode error", type: "json_invalid" } };
  }
}
