import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { errorCodeHeader } from "../../lib/error-codes.ts";
import type { Endpoint, EndpointGroup } from "../../lib/http/endpoint.ts";
import { memoize } from "../../lib/platform/caching/memoize.ts";
import { changedThing, ErrorBody, ValidationErrorBody } from "../../schema/api/platform/fields.ts";
import { TutorEvent } from "../../schema/api/tutor/chat.ts";
import { everyErrorCode } from "../../scripts/build/every-error-code.ts";
import { codesOfTokens } from "../../scripts/build/refusals/codes-of-tokens.ts";

const knownCodes = new Set(everyErrorCode.map(({ code }) => code));

type Answered = { status: number; text: string; body: unknown; headers: Headers };

/** Fails the test if a response violates the operation's contract: status, body, or undeclared fields. */
export function checkAnswer(
  groups: readonly EndpointGroup[],
  method: string,
  path: string,
  reply: Answered,
): void {
  expect(reply.headers.get("x-request-id"), "every answer carries its request id").toBeTruthy();
  const operation = findOperation(groups, method, path);
  if (reply.status >= 400) {
    expect(knownCodes.has(reply.headers.get(errorCodeHeader) ?? ""), `a known code of ${reply.text}`).toBe(
      true,
    );
    if (operation) expectListed(operation.contract.id, reply);
    const { versioned, conflictsWith, failsAsPage = [] } = operation?.contract ?? {};
    const isPage = reply.headers.get("content-type")?.startsWith("text/html");
    if (isPage && failsAsPage.some((status) => status === reply.status)) return;
    const refused = reply.status === 422 ? ValidationErrorBody : ErrorBody;
    const changed = reply.status === 412 ? versioned : reply.status === 409 ? conflictsWith : undefined;
    const isCurrentSent = reply.status === 412 || "current" in Object(reply.body);
    expectShape(changed && isCurrentSent ? changedThing(changed) : refused, reply.body);
    return;
  }
  if (!operation) return;
  const { answer, changesSeldom } = operation.contract;
  if (changesSeldom && reply.status === 304) {
    expect(reply.text).toBe("");
    return;
  }
  const declared = [
    answer.status,
    ...(answer.found ? [200] : []),
    ...(answer.accepted ? [202] : []),
    ...(answer.redirects ? [302] : []),
  ];
  expect(declared, `${method} ${path} answers a declared status`).toContain(reply.status);
  const [mediaType = ""] = (reply.headers.get("content-type") ?? "").split(";");
  if (mediaType === "text/event-stream") expectEvents(reply.text);
  if (mediaType !== "application/json" && mediaType in (answer.also ?? {})) return;
  const other = reply.status === 202 && answer.accepted ? answer.accepted.schema : answer.schema;
  const schema = reply.status === 302 && answer.redirects ? undefined : other;
  if (schema) expectShape(schema, reply.body);
  else expect(reply.text, `${method} ${path} has no body`).toBe("");
}

/**
 * Error codes must be in the API document. If a code is missing, its operation does not declare it: add it to
 * the contract's `refuses`.
 */
function expectListed(id: string, { status, headers, text }: Answered): void {
  const listed = documentedCodes().get(id);
  const code = headers.get(errorCodeHeader) ?? "";
  if (!listed || status >= 500 || ofAnyOperation.has(code)) return;
  expect(listed[status] ?? [], `the codes of a ${status} of ${id}, which answered ${text}`).toContain(code);
}

/** Codes that the shell, the guards and the database may return for any operation. */
const ofAnyOperation = new Set([
  "answer_too_large",
  "body_too_large",
  "breaks_rule",
  "caller_left",
  "changed_meanwhile",
  "method_not_allowed",
  "not_found",
  "validation",
  ...codesOfTokens[401],
  ...codesOfTokens[403],
]);

type Documented = { paths: Record<string, Record<string, { operationId: string; "x-error-codes": Codes }>> };
type Codes = Record<number, string[]>;

const documentFile = new URL("../../docs/reference/openapi.json", import.meta.url);

let documented: ReadonlyMap<string, Codes> | undefined;

export function documentedCodes(): ReadonlyMap<string, Codes> {
  if (documented) return documented;
  const { paths }: Documented = JSON.parse(readFileSync(documentFile, "utf8"));
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  documented = new Map(operations.map((one) => [one.operationId, one["x-error-codes"]]));
  return documented;
}

type Parser = { safeParse(value: unknown): { success: boolean; data?: unknown; error?: unknown } };

/** Parsing strips undeclared keys, so each shows as a difference. */
function expectShape(schema: Parser, body: unknown): void {
  const parsed = schema.safeParse(body);
  expect(parsed.success, `${String(parsed.error)} in ${JSON.stringify(body)}`).toBe(true);
  expect(body, "the answer has exactly what its contract declares").toEqual(parsed.data);
}

function expectEvents(text: string): void {
  for (const event of text.split("\n\n").slice(0, -1))
    expectShape(TutorEvent, JSON.parse(event.replace(/^data: /, "")));
}

function findOperation(groups: readonly EndpointGroup[], method: string, path: string): Endpoint | undefined {
  const asked = `${method} ${(path.split("?")[0] ?? "").replace(/\/$/, "")}`;
  return patternsOf(groups).find(({ pattern }) => pattern.test(asked))?.operation;
}

/** Memoized: the generated suites match thousands of responses against hundreds of operations. */
const patternsOf = memoize((groups: readonly EndpointGroup[]) =>
  groups.flatMap(({ mount, endpoints }) =>
    endpoints.map((operation) => {
      const { method, path } = operation.contract;
      const asked = `${mount}${path}`.replace(/\/$/, "").replaceAll(/\{\w+\}/g, "[^/]+");
      return { pattern: new RegExp(`^${method.toUpperCase()} ${asked}$`), operation };
    }),
  ),
);
