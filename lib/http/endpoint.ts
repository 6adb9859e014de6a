import type { Context } from "hono";
import type * as z from "zod";
import type { ApiKeyScope } from "../../schema/enums.ts";
import type { Deps, ReadDeps } from "../deps.ts";
import type { ErrorCode } from "../error-codes.ts";
import type { ErrorStatus } from "../errors.ts";
import type { AccessRule } from "../identity/auth/guards.ts";
import type { SharedResource } from "../platform/async/fair-limits.ts";
import type { Db } from "../platform/db/client.ts";
import type { ExpectedVersions } from "../platform/db/query/versions.ts";
import type { AcceptedResult } from "../platform/results/accepted.ts";
import type { CsvPage } from "../platform/results/csv-page.ts";
import type { ExistingResult } from "../platform/results/existing.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import type { ListPage, PageBody } from "../platform/results/list-page.ts";
import type { ReadWithOverdueWork } from "../platform/results/read-with-overdue-work.ts";
import type { HttpReply } from "./http-reply.ts";

/** Without a schema: no body, or not JSON. */
export type SuccessResponseSpec<S extends z.ZodType | undefined = z.ZodType | undefined> = {
  status: 200 | 201 | 202 | 204 | 302;
  description: string;
  schema: S;
  also?: Record<string, string>;
  /** For a 201: the description of a 200 with the same body, if the resource exists already (`Existing`). */
  found?: string;
  /** For a 200: a 302's description, for clients that did not ask for JSON. */
  redirects?: string;
  /** For a 201: a 202 with its own body, if a process was started instead (`Accepted`). */
  accepted?: { description: string; schema: z.ZodType };
};

/** `X-Error-Code` values by status. */
export type ErrorCodesByStatus = Partial<Record<ErrorStatus, readonly ErrorCode[]>>;

export type Contract = {
  /** For the API document and the client. Does not change with the path. */
  id: string;
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Relative to the group, with parameters in braces: `/{course_id}`. */
  path: string;
  summary: string;
  description?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the list mixes endpoints of all kinds of callers
  access: AccessRule<any>;
  /** Absent: API keys are not allowed. */
  scope?: ApiKeyScope;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Each with a summary. */
  bodyExamples?: Record<string, { summary: string; value: object }>;
  answer: SuccessResponseSpec;
  /**
   * The response signs a browser in or out. The request's body must be `application/json`, which cross-origin
   * pages cannot send without CORS.
   */
  setsCookies?: true;
  /**
   * Runs once, after the caller is checked, on the writable handle. All other GETs run with the cached caller
   * on a read-only handle.
   */
  writes?: "audit" | "sign-in" | "stream" | "registration";
  /** Without this query parameter, such a GET is read-only. */
  writesWith?: string;
  /**
   * May first store overdue changes, if the handler returns `ReadWithOverdueWork`. They are stored once the
   * caller is confirmed, then it reads again.
   */
  settles?: "grades";
  /** Has an ETag and answers 304 if unchanged. */
  changesSeldom?: true;
  /** Takes `If-Match`; a 412 returns the current state in this schema. */
  versioned?: z.ZodType;
  /**
   * What an anonymous operation takes in turns, fairly by network (lib/platform/async/fair-limits.ts). Required
   * unless it only reads, and also then if it signs or draws.
   */
  shares?: SharedResource | "nothing";
  /** A 409 may have the current state in this schema, as `current`. */
  conflictsWith?: z.ZodType;
  /** Besides those that follow from access (401, 403), input (422) and version (412). */
  fails?: readonly ErrorStatus[];
  /**
   * Error codes outside the source (scripts/build/refusals): from database constraints and limits, or
   * dynamic.
   */
  refuses?: ErrorCodesByStatus;
  failsAsPage?: readonly ErrorStatus[];
};

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export type HandlerInput<C extends Contract = Contract> = {
  deps: DepsOf<C>;
  actor: C["access"] extends AccessRule<infer A> ? A : never;
  params: Parsed<C["params"]>;
  query: Parsed<C["query"]>;
  body: Parsed<C["body"]>;
  /** For `versioned` operations: the versions in `If-Match`. */
  ifMatch: C["versioned"] extends z.ZodType ? ExpectedVersions : undefined;
  http: Context;
};

type DepsOf<C extends Contract> = C extends { method: "get" }
  ? C extends { writes: string }
    ? Deps
    : ReadDeps
  : Deps;

type Reply<C extends Contract> =
  | Found<C>
  | (C extends { settles: string } ? ReadWithOverdueWork<Found<C>, Db> : never);

type Found<C extends Contract> = C["answer"]["schema"] extends z.ZodType
  ?
      | z.input<C["answer"]["schema"]>
      | PartOf<z.input<C["answer"]["schema"]>>
      | FoundOf<C["answer"]>
      | AcceptedOf<C["answer"]>
      | HttpReply
  : unknown;

type PartOf<Body> = Body extends readonly (infer Item)[]
  ? ListPage<Item> | JsonListPage<Item> | CsvPage
  : PageBody<Body & object>;

type FoundOf<A extends SuccessResponseSpec> = A extends { found: string; schema: z.ZodType }
  ? ExistingResult<z.input<A["schema"]> & object>
  : never;

type AcceptedOf<A extends SuccessResponseSpec> = A extends { accepted: { schema: infer S extends z.ZodType } }
  ? AcceptedResult<z.input<S> & object>
  : never;

export type Endpoint = { contract: Contract; handle: (call: HandlerInput) => Promise<unknown> };

export function endpoint<const C extends Contract>(
  contract: C,
  handle: (call: HandlerInput<C>) => Promise<Reply<C>> | Reply<C>,
): Endpoint {
  const query = contract.query && knowingAll(contract.query);
  return { contract: { ...contract, ...(query && { query }) }, handle: handle as Endpoint["handle"] };
}

const narrowing = ["skip", "limit", "page", "date_from"];

/** Such a query rejects unknown filters: ignoring one would return everything. */
const knowingAll = (query: z.ZodObject): z.ZodObject =>
  narrowing.some((name) => name in query.shape) ? query.strict() : query;

/** `mount` is relative to the API prefix, or to the root with `atRoot`. */
export type EndpointGroup<One = Endpoint> = {
  tag: string;
  mount: string;
  atRoot: boolean;
  endpoints: readonly One[];
  /** Formats errors by another standard than `{ detail }`. `thrown` is the cause, if any. */
  refusal?: (answer: Response, thrown?: unknown) => Promise<Response>;
};

/** Literal paths come before parameters, since the first match wins. */
export function createEndpointGroup(
  tag: string,
  mount: string,
  endpoints: readonly Endpoint[],
  atRoot = false,
): EndpointGroup {
  return { tag, mount, atRoot, endpoints };
}

export const ok = <S extends z.ZodType>(
  schema: S,
  description: string,
  also: Record<string, string> = {},
) => ({
  answer: { status: 200, schema, description, also } satisfies SuccessResponseSpec<S>,
});

export const okOrRedirect = <S extends z.ZodType>(schema: S, description: string, redirects: string) => ({
  answer: { status: 200, schema, description, redirects } satisfies SuccessResponseSpec<S>,
});

export const created = <S extends z.ZodType>(schema: S, description: string) => ({
  answer: { status: 201, schema, description } satisfies SuccessResponseSpec<S>,
});

/** 201, or 200 if the handler returns `Existing`. */
export const createdOrFound = <S extends z.ZodType>(schema: S, description: string, found: string) => ({
  answer: { status: 201, schema, description, found } satisfies SuccessResponseSpec<S>,
});

/** 201, or 202 with the process started instead if the handler returns `Accepted`. */
export const createdOrAccepted = <S extends z.ZodType, T extends z.ZodType>(
  schema: S,
  description: string,
  accepted: { schema: T; description: string },
) => ({
  answer: { status: 201, schema, description, accepted } satisfies SuccessResponseSpec<S>,
});

export const accepted = <S extends z.ZodType>(schema: S, description: string) => ({
  answer: { status: 202, schema, description } satisfies SuccessResponseSpec<S>,
});

export const noContent = (description: string) => ({
  answer: { status: 204, schema: undefined, description } satisfies SuccessResponseSpec<undefined>,
});

export const redirects = (description: string) => ({
  answer: { status: 302, schema: undefined, description } satisfies SuccessResponseSpec<undefined>,
});

export const streamed = (description: string, example: string) => ({
  answer: {
    status: 200,
    schema: undefined,
    description,
    also: { "text/event-stream": example },
  } satisfies SuccessResponseSpec<undefined>,
});
