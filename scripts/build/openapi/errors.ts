import type { OpenAPIHono, RouteConfig } from "@hono/zod-openapi";
import type * as z from "zod";
import { errorCodeHeader, errorFieldHeader } from "../../../lib/error-codes.ts";
import type { ErrorStatus } from "../../../lib/errors.ts";
import type { Contract } from "../../../lib/http/endpoint.ts";
import { changedThing, ErrorBody, ValidationErrorBody } from "../../../schema/api/platform/fields.ts";
import { everyErrorCode } from "../every-error-code.ts";
import { codesOfTokens } from "../refusals/codes-of-tokens.ts";
import { registerAs } from "./named-schemas.ts";

type Responses = RouteConfig["responses"];
type ErrorAnswer = {
  name: string;
  description: string;
  detail: string;
  header?: [name: string, about: string];
};

const listed = (codes: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "disjunction" }).format(codes.map((code) => `\`${code}\``));

const errorAnswers: Partial<Record<ErrorStatus, ErrorAnswer>> = {
  400: {
    name: "BadRequest",
    description:
      "The request breaks a rule. The operation's description lists its codes. Every operation can also return `breaks_rule`, and lists without pages `answer_too_large`",
    detail: "University short_code 'MIT' is already taken",
    header: [
      errorFieldHeader,
      "The field of the request that caused the error, if there is one, such as `short_code`",
    ],
  },
  401: {
    name: "Unauthorized",
    description: `The token is missing, invalid, expired or of another kind: ${listed(codesOfTokens[401])}`,
    detail: "Could not validate credentials",
    header: ["WWW-Authenticate", "`Bearer`"],
  },
  403: {
    name: "Forbidden",
    description: `The caller may not do this, or the account is inactive. The code is ${listed(codesOfTokens[403])}, or is in the operation's description`,
    detail: "Not enough permissions",
  },
  404: {
    name: "NotFound",
    description: "The resource does not exist or is not visible to the caller",
    detail: "Course not found",
  },
  405: {
    name: "MethodNotAllowed",
    description: "The path does not support the method",
    detail: "Method Not Allowed",
    header: ["Allow", "The supported methods"],
  },
  409: {
    name: "Conflict",
    description: "The current state conflicts with the request, or a conflicting operation is in progress",
    detail: "An answer is already being written",
  },
  410: {
    name: "Gone",
    description:
      "The data after the cursor was deleted, or the database was restored. Start without a cursor",
    detail:
      "The events after this cursor have been deleted. Start again without a cursor; the oldest stored one is 12-1",
  },
  413: {
    name: "ContentTooLarge",
    description: "The body is over 1 MiB",
    detail: "Request body is over 1 MiB",
  },
  429: {
    name: "TooManyRequests",
    description: "Too many requests, or a limit is used up",
    detail: "Too many failed sign-ins to this account. Try again later",
    header: ["Retry-After", "Seconds to wait before trying again"],
  },
  503: {
    name: "ServiceUnavailable",
    description:
      "The service is too busy, or the database, the LLM provider or an identity provider is unavailable",
    detail: "The database cannot be reached",
    header: ["Retry-After", "Seconds to wait before trying again"],
  },
};

const errorCode = { [errorCodeHeader]: { $ref: "#/components/headers/ErrorCode" } };

const registerCodes = (registry: OpenAPIHono["openAPIRegistry"]): void => {
  registry.registerComponent("headers", "ErrorCode", {
    description:
      "Stable code of the rule that rejected the request, independent of the text in `detail`. `x-enum-descriptions` has the text for each code, with values in braces",
    schema: {
      type: "string",
      enum: everyErrorCode.map(({ code }) => code),
      "x-enum-descriptions": everyErrorCode.map(({ words }) => words),
    } as object,
  });
};

export function registerErrors(registry: OpenAPIHono["openAPIRegistry"]): void {
  registerCodes(registry);
  for (const schema of [ErrorBody, ValidationErrorBody])
    registerAs(registry, schema.meta()?.id ?? "", schema);
  for (const { name, description, detail, header } of Object.values(errorAnswers))
    registry.registerComponent("responses", name, {
      description,
      headers: {
        ...errorCode,
        ...(header && { [header[0]]: { description: header[1], schema: { type: "string" } } }),
      },
      content: json("ErrorAnswer", { detail }),
    });
  registry.registerComponent("responses", "ValidationError", {
    description: "The request does not match the schema; one entry for each invalid field",
    headers: errorCode,
    content: json("ValidationError", {
      detail: [{ type: "missing", loc: ["body", "email"], msg: "Field required" }],
    }),
  });
}

/** An operation's errors: those of its access and input, and the declared ones. */
export function errorsOf(contract: Contract): Responses {
  const { method, access, params, query, body, fails = [], failsAsPage = [] } = contract;
  const statuses = new Set<ErrorStatus>(fails);
  const needsToken = access.kind === "signed in" || access.kind === "refreshing";
  if (needsToken) statuses.add(401).add(403);
  if (params || query || body) statuses.add(422);
  if (method !== "get") statuses.add(413);
  return {
    ...Object.fromEntries([...statuses].map((status) => [status, { $ref: reference(status) }])),
    ...Object.fromEntries(failsAsPage.map((status) => [status, orPage(status)])),
    ...(contract.versioned && { 412: preconditionFailed(contract.versioned) }),
    ...(contract.conflictsWith && { 409: conflictWith(contract.conflictsWith) }),
  };
}

const orPage = (status: ErrorStatus) => {
  const { description = "", detail } = errorAnswers[status] ?? {};
  const page = { schema: { type: "string" as const }, example: `<p role="alert">${detail}</p>` };
  return {
    description,
    headers: errorCode,
    content: { ...json("ErrorAnswer", { detail }), "text/html": page },
  };
};

/** Specific to each resource, because the body contains it. */
const preconditionFailed = (thing: z.ZodType) => ({
  description: "The version differs from `If-Match`, and nothing was written",
  headers: errorCode,
  content: { "application/json": { schema: changedThing(thing) } },
});

const conflictWith = (thing: z.ZodType) => ({
  description: errorAnswers[409]?.description ?? "",
  headers: errorCode,
  content: { "application/json": { schema: changedThing(thing).partial({ current: true }) } },
});

function reference(status: ErrorStatus): string {
  const name = status === 422 ? "ValidationError" : errorAnswers[status]?.name;
  if (!name) throw new Error(`No description of a ${status} has been written`);
  return `#/components/responses/${name}`;
}

const json = (schema: string, example?: object) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, ...(example && { example }) },
});
