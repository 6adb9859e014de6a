import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { isUnavailable } from "../db/client.ts";
import { violationAnswer } from "../db/violations.ts";
import type { Deps } from "../deps.ts";
import { HttpError, unavailable, ValidationError } from "../errors.ts";
import { Found } from "../found.ts";
import { describeError } from "../log.ts";
import { allowOrigins } from "./allow-origins.ts";
import { jsonAnswer } from "./answer.ts";
import { basePath } from "./base-path.ts";
import { conditional } from "./conditional.ts";
import type { Contract, Endpoint, Group } from "./endpoint.ts";
import { routePath } from "./paths.ts";
import type { streamEnded } from "./sse.ts";
import { telemetry } from "./telemetry.ts";
import { type Parts, validate } from "./validate.ts";

const maxBodyBytes = 1024 * 1024;

type App = Hono<{ Variables: { [streamEnded]: Promise<void> | undefined } }>;

/**
 * The only place that constructs an app: the request id, the log line, CORS, the operations of the groups with
 * their guards and validation, and every shape of error. Each Lambda passes its own group, the local server all,
 * with what else stands between the service and its clients there (`outermost`).
 */
export function shell(deps: Deps, groups: readonly Group[], ...outermost: MiddlewareHandler[]): App {
  const app: App = new Hono({ getPath: ownPath(deps) });

  for (const middleware of outermost) app.use(middleware);
  app.use(telemetry(deps));
  app.use(allowOrigins(deps.config));
  app.on(["POST", "PUT", "PATCH", "DELETE"], "*", limitedBody);

  const operations = groups.flatMap((group) =>
    group.endpoints.map((one) => ({
      ...one,
      path: routePath(deps.config.API_V1_PREFIX, group, one.contract),
    })),
  );
  for (const [path, ones] of byPath(operations)) {
    for (const one of ones) {
      if (one.contract.changesSeldom) app.on(methodOf(one), one.path, conditional);
      app.on(methodOf(one), one.path, (c) => answer(deps, one, c));
    }
    // Before the next path, so that other methods of a literal one are not taken for a parameter's.
    const Allow = methodsOf(ones).join(", ");
    app.all(path, () => refuse(405, "Method Not Allowed", { Allow }));
  }

  app.notFound(() => refuse(404, "Not Found"));
  app.onError((error) => errorAnswer(deps, error));
  return app;
}

/** Paths with and without a slash at their end are the same. */
const { getPath } = new Hono({ strict: false });

/** A request's path as the service names it, without what stands before it. */
const ownPath =
  ({ config }: Deps) =>
  (request: Request, { env }: { env?: Context["env"] } = {}): string => {
    const path = getPath(request);
    return path.slice(basePath(path, env, config).length) || "/";
  };

/** A request's walk: the guard, the validation, the handler, its answer. */
async function answer(deps: Deps, { contract, handle }: Endpoint, c: Context): Promise<Response> {
  const authorization = c.req.header("authorization");
  const arrival = { authorization, deps, onlyReads: onlyReads(contract) };
  let parts: Parts | undefined;
  const reply = await contract.access.admit(arrival, async (actor) => {
    parts = await validate(c, contract);
    return handle({ deps, actor, http: c, ...(parts as { params: never; query: never; body: never }) });
  });
  if (reply instanceof Response) return reply;
  if (reply === undefined) return c.body(null, contract.answer.status as 204);
  const [body, status] =
    reply instanceof Found ? [reply.body, 200] : [reply as object, contract.answer.status];
  return jsonAnswer(c, deps.config, contract, { asked: parts, body, status });
}

/** A stream is more than a read: it may take over the writing of what it tells. */
const onlyReads = ({ method, answer }: Contract): boolean => method === "get" && answer.schema !== undefined;

const tooLarge = () => refuse(413, "Request body is over 1 MiB");

const countedBody = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge });

/** A stated length is judged as it is; only a body of unknown length is looked at, which costs a stream of its own. */
const limitedBody: MiddlewareHandler = async (c, next) => {
  const length = c.req.header("content-length");
  if (length === undefined || c.req.header("transfer-encoding")) return countedBody(c, next);
  return Number(length) > maxBodyBytes ? tooLarge() : next();
};

const methodOf = ({ contract }: Endpoint): string => contract.method.toUpperCase();

type Routed = Endpoint & { path: string };

/** The operations of each path, in the order of the paths; those that differ only in a parameter's name are one. */
const byPath = (operations: readonly Routed[]): [path: string, ones: Routed[]][] =>
  [...Map.groupBy(operations, ({ path }) => path.replaceAll(/:\w+/g, ":parameter"))].map(
    ([pattern, ones]) => [ones[0]?.path ?? pattern, ones],
  );

function methodsOf(operations: readonly Endpoint[]): string[] {
  const methods = new Set(operations.map(methodOf));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

function errorAnswer({ log }: Deps, thrown: Error): Response {
  if (thrown instanceof ValidationError) return Response.json({ detail: thrown.faults }, { status: 422 });
  const error = thrown instanceof HttpError ? thrown : (violationAnswer(thrown) ?? outOfReach(thrown));
  if (!error || error.status >= 500) log.error({ error: describeError(thrown) }, "request failed");
  return error ? refuse(error.status, error.message, error.headers) : refuse(500, "Internal Server Error");
}

const outOfReach = (thrown: Error): HttpError | undefined =>
  isUnavailable(thrown) ? unavailable("The database cannot be reached", thrown) : undefined;

const refuse = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ detail }, { status, headers });
