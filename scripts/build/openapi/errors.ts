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
      "The request breaks a rule. The operation's description lists which it may be; besides, any may answer `breaks_rule`, and a list that is read whole `answer_too_large`",
    detail: "University short_code 'MIT' is already taken",
    header: [errorFieldHeader, "The field of the request that it is about, where it is one: `short_code`"],
  },
  401: {
    name: "Unauthorized",
    description: `The token is missing, wrong, expired or of another kind: ${listed(codesOfTokens[401])}`,
    detail: "Could not validate credentials",
    header: ["WWW-Authenticate", "`Bearer`"],
  },
  403: {
    name: "Forbidden",
    description: `The caller may not do this, or the account is inactive: ${listed(codesOfTokens[403])}, or what the operation's description lists`,
    detail: "Not enough permissions",
  },
  404: {
    name: "NotFound",
    description: "There is no such thing that the caller may see",
    detail: "Course not found",
  },
  405: {
    name: "MethodNotAllowed",
    description: "The path has no such method",
    detail: "Method Not Allowed",
    header: ["Allow", "The methods that it has"],
  },
  409: {
    name: "Conflict",
    description: "Something else is under way",
    detail: "An answer is already being written",
  },
  410: {
    name: "Gone",
    description: "What was asked for is not kept any more: the detail names the oldest that is",
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
    description: "Too often, or too much, for now",
    detail: "Too many failed sign-ins to this account. Try again later",
    header: ["Retry-After", "Seconds to wait before trying again"],
  },
  503: {
    name: "ServiceUnavailable",
    description: "The database, the LLM provider or an identity provider is out of reach",
    detail: "The database cannot be reached",
    header: ["Retry-After", "Seconds to wait before trying again"],
  },
};

const errorCode = { [errorCodeHeader]: { $ref: "#/components/headers/ErrorCode" } };

const registerCodes = (registry: OpenAPIHono["openAPIRegistry"]): void => {
  registry.registerComponent("headers", "ErrorCode", {
    description:
      "What rule refuses, whatever the words of `detail`: a code stays what it is. What each of them says stands in `x-enum-descriptions`; a word in braces stands for a value",
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
    description: "A part of the request is not as described, one entry for each failing field",
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
  description: "The thing has another version than `If-Match` names, and nothing was written",
  headers: errorCode,
  content: { "application/json": { schema: changedThing(thing) } },
});

function reference(status: ErrorStatus): string {
  const name = status === 422 ? "ValidationError" : errorAnswers[status]?.name;
  if (!name) throw new Error(`No description of a ${status} has been written`);
  return `#/components/responses/${name}`;
}

const json = (schema: string, example?: object) => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, ...(example && { example }) },
});
