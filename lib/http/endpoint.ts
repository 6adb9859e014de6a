import type { Context } from "hono";
import type * as z from "zod";
import type { ApiKeyScope } from "../../schema/enums.ts";
import type { Access } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";
import type { ExpectedVersions } from "../db/query/versions.ts";
import type { Deps, ReadDeps } from "../deps.ts";
import type { ErrorCode } from "../error-codes.ts";
import type { ErrorStatus } from "../errors.ts";
import type { Accepted } from "../results/accepted.ts";
import type { CsvPage } from "../results/csv-page.ts";
import type { Existing } from "../results/existing.ts";
import type { JsonListPage } from "../results/json-list-page.ts";
import type { ListPage, PageBody } from "../results/list-page.ts";
import type { Overdue } from "../results/overdue.ts";
import type { HttpReply } from "./http-reply.ts";

/** What an operation answers when all is well. Without a schema there is no body, or one that is not JSON. */
export type Answer<S extends z.ZodType | undefined = z.ZodType | undefined> = {
  status: 200 | 201 | 202 | 204 | 302;
  description: string;
  schema: S;
  /** Further media types of the same answer, such as an event stream, with an example each. */
  also?: Record<string, string>;
  /** Of a 201: what a 200 with the same body says, where what was asked for is there already (`Existing`). */
  found?: string;
  /** Of a 200: what a 302 in its place says, for whoever did not ask for JSON. */
  redirects?: string;
  /** Of a 201: what a 202 says, with a body of its own, where something is begun in place of it (`Accepted`). */
  accepted?: { description: string; schema: z.ZodType };
};

/** Codes of `X-Error-Code` by their statuses. */
export type Refuses = Partial<Record<ErrorStatus, readonly ErrorCode[]>>;

/** One operation of the API: where it is, who may call it, what it takes and what it answers. */
export type Contract = {
  /** The operation's one name: of its export, in the API document and in the client. A change of path leaves it. */
  id: string;
  method: "get" | "post" | "put" | "patch" | "delete";
  /** Relative to the group, parameters in braces: `/{course_id}`. */
  path: string;
  summary: string;
  description?: string;
  // biome-ignore lint/suspicious/noExplicitAny: an endpoint of every kind of caller stands in one list
  access: Access<any>;
  /** The scope that a key for machines takes here; without one no key may do it. */
  scope?: ApiKeyScope;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Where one example of the body says too little: each by a name, with what it is for. */
  bodyExamples?: Record<string, { summary: string; value: object }>;
  answer: Answer;
  /**
   * Its answer signs a browser in or out. A body of it has to be sent as `application/json`, which a page of another
   * origin cannot do without being allowed to.
   */
  setsCookies?: true;
  /**
   * Of a GET that writes: what. It is not done twice: its caller is looked at first, and it has the handle that writes. All
   * other GETs are done as whom their caller was a moment ago, by a handle that does not.
   */
  writes?: "audit" | "sign-in" | "stream" | "registration";
  /** Of such a GET: the parameter of its query without which it writes nothing, and is done as all others are. */
  writesWith?: string;
  /**
   * Of a GET that does not write: what is stored before it is read again, if the handler returns `Overdue`. That is done
   * once its caller is confirmed.
   */
  settles?: "grades";
  /** Of a read: its answer has an ETag, and who sends that again gets a 304 for as long as it holds. */
  changesSeldom?: true;
  /** Of a write to a thing with a `version`, which this is: it takes `If-Match`, and a 412 has the thing as it is. */
  versioned?: z.ZodType;
  /** Statuses beside those that follow from the access (401, 403), the input (422) and the version (412). */
  fails?: readonly ErrorStatus[];
  /**
   * What it refuses beside what its code names by itself (scripts/build/refusals): by constraints and limits of the database,
   * and by what it is given. With it the API document lists all that the operation refuses.
   */
  refuses?: Refuses;
  /** Those of them that are a page in words where what the browser brought is refused, for whoever is in front of it. */
  failsAsPage?: readonly ErrorStatus[];
};

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A request whose caller is admitted and whose parts are validated. `http` is for headers and cookies. */
export type Call<C extends Contract = Contract> = {
  deps: DepsOf<C>;
  actor: C["access"] extends Access<infer A> ? A : never;
  params: Parsed<C["params"]>;
  query: Parsed<C["query"]>;
  body: Parsed<C["body"]>;
  /** Of what is `versioned`: what `If-Match` expects it to be. */
  ifMatch: C["versioned"] extends z.ZodType ? ExpectedVersions : undefined;
  http: Context;
};

type DepsOf<C extends Contract> = C extends { method: "get" }
  ? C extends { writes: string }
    ? Deps
    : ReadDeps
  : Deps;

type Reply<C extends Contract> = Found<C> | (C extends { settles: string } ? Overdue<Found<C>, Db> : never);

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

type FoundOf<A extends Answer> = A extends { found: string; schema: z.ZodType }
  ? Existing<z.input<A["schema"]> & object>
  : never;

type AcceptedOf<A extends Answer> = A extends { accepted: { schema: infer S extends z.ZodType } }
  ? Accepted<z.input<S> & object>
  : never;

export type Endpoint = { contract: Contract; handle: (call: Call) => Promise<unknown> };

/** An operation: its contract and its handler side by side. The handler returns the body, or an answer as it goes out. */
export function endpoint<const C extends Contract>(
  contract: C,
  handle: (call: Call<C>) => Promise<Reply<C>> | Reply<C>,
): Endpoint {
  const query = contract.query && knowingAll(contract.query);
  return { contract: { ...contract, ...(query && { query }) }, handle: handle as Endpoint["handle"] };
}

/** By any of these a query is that of a list, or of a report on some days. */
const narrowing = ["skip", "limit", "page", "date_from"];

/** Such a query refuses a filter that it does not know: overlooked, it would answer everything. */
const knowingAll = (query: z.ZodObject): z.ZodObject =>
  narrowing.some((name) => name in query.shape) ? query.strict() : query;

/** One Lambda's operations. `mount` is relative to the API prefix, or to the root where `atRoot` is set. */
export type Group<One = Endpoint> = {
  tag: string;
  mount: string;
  atRoot: boolean;
  endpoints: readonly One[];
  /** Spells a refusal as a standard has it, in place of `{ detail }`; `thrown` is what it came of, where something was. */
  refusal?: (answer: Response, thrown?: unknown) => Promise<Response>;
};

/** A group's table of contents: literal paths stand before parameters, since the first match answers. */
export function group(tag: string, mount: string, endpoints: readonly Endpoint[], atRoot = false): Group {
  return { tag, mount, atRoot, endpoints };
}

/** 200 with this body; `also` gives further media types that the same operation answers on request. */
export const ok = <S extends z.ZodType>(
  schema: S,
  description: string,
  also: Record<string, string> = {},
) => ({
  answer: { status: 200, schema, description, also } satisfies Answer<S>,
});

/** 200 with this body for whoever asks for JSON, else a 302 to what it tells of. */
export const okOrRedirect = <S extends z.ZodType>(schema: S, description: string, redirects: string) => ({
  answer: { status: 200, schema, description, redirects } satisfies Answer<S>,
});

/** 201 with the new resource. */
export const created = <S extends z.ZodType>(schema: S, description: string) => ({
  answer: { status: 201, schema, description } satisfies Answer<S>,
});

/** 201 with the new resource, or 200 with the one that is there already, which the handler answers as `Existing`. */
export const createdOrFound = <S extends z.ZodType>(schema: S, description: string, found: string) => ({
  answer: { status: 201, schema, description, found } satisfies Answer<S>,
});

/** 201 with the new resource, or 202 with what was begun in its place, which the handler answers as `Accepted`. */
export const createdOrAccepted = <S extends z.ZodType, T extends z.ZodType>(
  schema: S,
  description: string,
  accepted: { schema: T; description: string },
) => ({
  answer: { status: 201, schema, description, accepted } satisfies Answer<S>,
});

/** 202: what was asked for will be done after the answer. */
export const accepted = <S extends z.ZodType>(schema: S, description: string) => ({
  answer: { status: 202, schema, description } satisfies Answer<S>,
});

/** 204 without a body. */
export const noContent = (description: string) => ({
  answer: { status: 204, schema: undefined, description } satisfies Answer<undefined>,
});

/** 302 to another address. */
export const redirects = (description: string) => ({
  answer: { status: 302, schema: undefined, description } satisfies Answer<undefined>,
});

/** 200 with a stream of Server-Sent Events, such as this example. */
export const streamed = (description: string, example: string) => ({
  answer: {
    status: 200,
    schema: undefined,
    description,
    also: { "text/event-stream": example },
  } satisfies Answer<undefined>,
});
