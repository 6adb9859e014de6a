import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { maxBodyBytes } from "../../schema/api/platform/file-text.ts";
import type { Deps } from "../deps.ts";
import { errorCodeHeader, errorFieldHeader } from "../error-codes.ts";
import { HttpError, httpErrorFromCode, unavailable, ValidationError } from "../errors.ts";
import { readAndLogApiKey } from "../identity/auth/key-in-request.ts";
import { violationToHttpError } from "../platform/db/query/violations.ts";
import { databaseErrorReasonAndCode, isDatabaseUnavailable } from "../platform/db/unavailable.ts";
import { createThrottledLog } from "../platform/logging/counted-log.ts";
import { describeError } from "../platform/logging/log.ts";
import { AcceptedResult } from "../platform/results/accepted.ts";
import { CsvPage } from "../platform/results/csv-page.ts";
import { ExistingResult } from "../platform/results/existing.ts";
import { ReadWithOverdueWork } from "../platform/results/read-with-overdue-work.ts";
import { corsPolicy } from "./allow-origins.ts";
import { basePath } from "./base-path.ts";
import { BufferedResponse } from "./buffered-response.ts";
import { notModifiedIfEtagMatches } from "./conditional.ts";
import type { Contract, Endpoint, EndpointGroup } from "./endpoint.ts";
import type { HttpReply } from "./http-reply.ts";
import type { EndpointOnDemand } from "./on-demand.ts";
import { routePath } from "./paths.ts";
import { notePersonRead } from "./person-read.ts";
import { csvPageResponse, jsonResponse, responseWithCookies } from "./responses.ts";
import { EventStream, type streamEndedKey } from "./sse.ts";
import { createRequestObserver } from "./telemetry.ts";
import { type ValidatedRequest, validateRequest } from "./validate.ts";

type App = Hono<{ Variables: { [streamEndedKey]: Promise<void> | undefined } }>;

type Operation = Endpoint | EndpointOnDemand;

/** A server process's last step before it sends a response. */
export type BeforeSendHook = (c: Context, reply: HttpReply) => Promise<HttpReply>;

/**
 * Builds the app: request ID, logging, CORS, guards, validation, operations and all error responses. Each
 * Lambda function passes its own group, the server all of them with `finish`. Hono only routes; the steps
 * around an operation are plain calls instead of middleware, so headers are written once.
 */
export function createApp(
  deps: Deps,
  groups: readonly EndpointGroup<Operation>[],
  finish: BeforeSendHook = async (_, same) => same,
): App {
  const app: App = new Hono({ getPath: ownPath(deps) });
  const observed = createRequestObserver(deps);
  const errorAnswer = errorAnswers(deps);
  const otherOrigins = corsPolicy(deps.config, [
    ...new Set(groups.flatMap(({ endpoints }) => endpoints.map(methodOf))),
  ]);

  const serve = async (
    c: Context,
    route: string | undefined,
    work: () => Promise<HttpReply>,
    spelled: NonNullable<EndpointGroup["refusal"]> = asItIs,
  ) => {
    const isPreflight = c.req.method === "OPTIONS";
    const reply = await observed(c, route, async () => {
      if (isPreflight) return otherOrigins.answerPreflight(c);
      // If no guard runs, as for an unknown path.
      if (spelled !== asItIs) readAndLogApiKey(c.req.header("authorization"));
      const within = async () => {
        const tooLarge = await refuseTooLarge(c);
        return tooLarge ? spelled(tooLarge) : work();
      };
      const refused = (error: unknown) => merged(c, () => spelled(errorAnswer(error), error));
      const reply = await merged(c, within).catch(refused);
      otherOrigins.allow(c, reply.headers);
      return reply;
    });
    const finished = await finish(c, reply);
    return "toResponse" in finished ? finished.toResponse() : finished;
  };

  const reading: Deps = { ...deps, db: deps.reads as Deps["db"] };
  const answerOf = (one: Endpoint, c: Context) => answer({ writing: deps, reading }, one, c);

  const operations = groups.flatMap((group) =>
    group.endpoints.map((one) => ({
      ...one,
      path: routePath(deps.config.API_V1_PREFIX, group, one.contract),
      spelled: group.refusal,
    })),
  );
  for (const [path, ones] of byPath(operations)) {
    for (const one of ones) {
      const route = patternOf(one.path);
      app.on(methodOf(one), one.path, (c) =>
        serve(c, route, async () => answerOf("load" in one ? await one.load() : one, c), one.spelled),
      );
    }
    // Before the next path: its parameter would match other methods of a literal path.
    const Allow = methodsOf(ones).join(", ");
    const spelled = ones[0]?.spelled ?? asItIs;
    app.all(path, (c) =>
      serve(
        c,
        patternOf(path),
        async () =>
          spelled(asResponse(httpErrorFromCode(405, "method_not_allowed", [], { headers: { Allow } }))),
        spelled,
      ),
    );
  }

  app.notFound((c) => {
    const within = groups.find(({ refusal, mount }) => refusal && isBelow(mount, c.req.path));
    const spelled = within?.refusal ?? asItIs;
    return serve(c, undefined, async () => spelled(asResponse(httpErrorFromCode(404, "not_found"))), spelled);
  });
  // While sending.
  app.onError(errorAnswer);
  return app;
}

const isBelow = (mount: string, path: string): boolean => path === mount || path.startsWith(`${mount}/`);

/** Adds headers that were set on Hono's context. */
async function merged(c: Context, work: () => Promise<HttpReply>): Promise<HttpReply> {
  const reply = await work();
  if ("toResponse" in reply) return reply;
  c.res = reply;
  return c.res;
}

const patternOf = (path: string): string => path.replace("{.+}", "").replaceAll(/:(\w+)/g, "{$1}");

/** Ignores trailing slashes. */
const { getPath } = new Hono({ strict: false });

/** Without the prefix. */
const ownPath =
  ({ config }: Deps) =>
  (request: Request, { env }: { env?: Context["env"] } = {}): string => {
    const path = getPath(request);
    return path.slice(basePath(path, env, config).length) || "/";
  };

type Handles = { writing: Deps; reading: Deps };

async function answer(
  { writing, reading }: Handles,
  { contract, handle }: Endpoint,
  c: Context,
): Promise<HttpReply> {
  const deps = onlyReads(contract, c) ? reading : writing;
  const authorization = c.req.header("authorization");
  const arrival = { authorization, deps, onlyReads: onlyReads(contract, c), scope: contract.scope };
  let parts: ValidatedRequest | undefined;
  let caller: unknown;
  const admitted = () =>
    contract.access.admit(arrival, async (actor) => {
      caller = actor;
      parts = await validateRequest(c, contract);
      return handle({
        deps,
        actor,
        http: c,
        ...(parts as { params: never; query: never; body: never; ifMatch: never }),
      });
    });
  const reply = await settled(writing, admitted);
  notePersonRead(deps.personReads, contract, caller, parts);
  if (reply instanceof BufferedResponse || reply instanceof EventStream) return reply;
  if (reply instanceof Response) return contract.changesSeldom ? notModifiedIfEtagMatches(c, reply) : reply;
  if (reply === undefined) return responseWithCookies(c, null, contract.answer.status);
  if (reply instanceof CsvPage)
    return csvPageResponse(c, deps.config, contract, { asked: parts, page: reply });
  const isOther = reply instanceof ExistingResult || reply instanceof AcceptedResult;
  const { body, status } = isOther ? reply : { body: reply as object, status: contract.answer.status };
  const response = await jsonResponse(c, deps.config, contract, { asked: parts, body, status });
  return contract.changesSeldom ? notModifiedIfEtagMatches(c, response) : response;
}

/** Reads, stores what is overdue, reads again. If storing fails, returns the first result. */
async function settled({ db }: Deps, read: () => Promise<unknown>): Promise<unknown> {
  const first = await read();
  if (!(first instanceof ReadWithOverdueWork)) return first;
  await first.settle(db);
  const second = await read();
  return second instanceof ReadWithOverdueWork ? second.found : second;
}

const onlyReads = ({ method, writes, writesWith }: Contract, c: Context): boolean =>
  method === "get" &&
  (writes === undefined || (writesWith !== undefined && c.req.query(writesWith) === undefined));

const tooLarge = () => asResponse(httpErrorFromCode(413, "body_too_large"));

const countedBody = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge });

/** Only a body without Content-Length is counted, which takes an extra stream. */
async function refuseTooLarge(c: Context): Promise<Response | undefined> {
  if (["GET", "HEAD"].includes(c.req.method)) return undefined;
  const length = c.req.header("content-length");
  if (length === undefined || c.req.header("transfer-encoding"))
    return (await countedBody(c, async () => {})) ?? undefined;
  return Number(length) > maxBodyBytes ? tooLarge() : undefined;
}

const methodOf = ({ contract }: Operation): string => contract.method.toUpperCase();

type Routed = Operation & { path: string; spelled: EndpointGroup["refusal"] };

const asItIs: NonNullable<EndpointGroup["refusal"]> = async (same) => same;

/** In order. Paths that differ only in parameter names are one. */
const byPath = (operations: readonly Routed[]): [path: string, ones: Routed[]][] =>
  [...Map.groupBy(operations, ({ path }) => path.replaceAll(/:\w+/g, ":parameter"))].map(
    ([pattern, ones]) => [ones[0]?.path ?? pattern, ones],
  );

function methodsOf(operations: readonly Operation[]): string[] {
  const methods = new Set(operations.map(methodOf));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

/** Logs the service's own errors. Database outages are logged once a minute. */
function errorAnswers({ log }: Deps): (thrown: unknown) => Response {
  const logOutage = createThrottledLog((thrown: unknown, count) =>
    log.error({ error: describeError(thrown), count }, "request failed"),
  );
  return (thrown) => {
    if (thrown instanceof ValidationError)
      return Response.json(
        { detail: thrown.issues },
        { status: 422, headers: { [errorCodeHeader]: "validation" } },
      );
    const error = thrown instanceof HttpError ? thrown : (violationToHttpError(thrown) ?? outOfReach(thrown));
    if (error && isDatabaseUnavailable(thrown)) logOutage(databaseErrorReasonAndCode(thrown).code, thrown);
    else if (!error || error.status >= 500) log.error({ error: describeError(thrown) }, "request failed");
    return asResponse(error ?? httpErrorFromCode(500, "internal_error"));
  };
}

const outOfReach = (thrown: unknown): HttpError | undefined =>
  isDatabaseUnavailable(thrown) ? unavailable(databaseErrorReasonAndCode(thrown).reason, thrown) : undefined;

/** With the code, the field and, for a conflict, the current state. */
const asResponse = (error: HttpError): Response =>
  Response.json(
    { detail: error.message, ...(error.current && { current: error.current }) },
    {
      status: error.status,
      headers: {
        ...error.headers,
        [errorCodeHeader]: error.code,
        ...(error.field !== undefined && { [errorFieldHeader]: error.field }),
      },
    },
  );
