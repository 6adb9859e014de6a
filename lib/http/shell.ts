import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { isUnavailable } from "../db/client.ts";
import { type QueryStats, queryStats } from "../db/observe.ts";
import { violationAnswer } from "../db/violations.ts";
import type { Deps } from "../deps.ts";
import { HttpError, unavailable, ValidationError } from "../errors.ts";
import { describeError } from "../log.ts";
import { logRequest } from "./access-log.ts";
import type { Endpoint, Group } from "./endpoint.ts";
import { routePath } from "./paths.ts";
import { streamEnded } from "./sse.ts";
import { validate } from "./validate.ts";

const largestBody = 1024 * 1024;

type App = Hono<{ Variables: { requestId: string; [streamEnded]: Promise<void> | undefined } }>;

/**
 * The only place that constructs an app: the request id, the log line, CORS, the operations of the groups with
 * their guards and validation, and every shape of error. Each Lambda passes its own group, the local server all.
 */
export function shell(deps: Deps, groups: readonly Group[]): App {
  const app: App = new Hono({ strict: false });

  app.use((c, next) => observed(deps, c, next));
  if (deps.config.BACKEND_CORS_ORIGINS.length > 0) app.use(allowOrigins(deps.config.BACKEND_CORS_ORIGINS));
  app.on(
    ["POST", "PUT", "PATCH", "DELETE"],
    "*",
    bodyLimit({ maxSize: largestBody, onError: () => refuse(413, "Request body is over 1 MiB") }),
  );

  const operations = groups.flatMap((group) =>
    group.endpoints.map((one) => ({
      ...one,
      path: routePath(deps.config.API_V1_PREFIX, group, one.contract),
    })),
  );
  for (const one of operations) app.on(methodOf(one), one.path, (c) => answer(deps, one, c));
  for (const [path, methods] of methodsByPath(operations))
    app.all(path, () => refuse(405, "Method Not Allowed", { Allow: methods.join(", ") }));

  app.notFound(() => refuse(404, "Not Found"));
  app.onError((error, c) => errorAnswer(deps, error, c.get("requestId")));
  return app;
}

/** A request's walk: the guard, the validation, the handler, its answer. */
async function answer(deps: Deps, { contract, handle }: Endpoint, c: Context): Promise<Response> {
  const actor = await contract.access.admit(c.req.header("authorization"), deps);
  const parts = await validate(c, contract);
  const reply = await handle({
    deps,
    actor,
    http: c,
    ...(parts as { params: never; query: never; body: never }),
  });
  if (reply instanceof Response) return reply;
  if (reply === undefined) return c.body(null, contract.answer.status as 204);
  return c.json(reply as object, contract.answer.status as 200);
}

/** Gives the request its id and its own count of queries, and logs it when its answer has ended. */
async function observed(deps: Deps, c: Context, next: () => Promise<void>): Promise<void> {
  const started = performance.now();
  const stats: QueryStats = { count: 0, duration_ms: 0 };
  const requestId = wellFormedId(c.req.header("x-request-id")) ?? crypto.randomUUID();
  c.set("requestId", requestId);
  await queryStats.run(stats, next);
  c.res.headers.set("X-Request-ID", requestId);

  if (!deps.config.ENABLE_ACCESS_LOG) return;
  const { method, path } = c.req;
  const status_code = c.res.status;
  const write = () =>
    logRequest(deps.log, { request_id: requestId, method, path, status_code, started, stats });
  const ended: Promise<void> | undefined = c.get(streamEnded);
  if (ended) void ended.finally(write);
  else write();
}

const wellFormedId = (id: string | undefined): string | undefined =>
  id && /^[A-Za-z0-9._-]{8,128}$/.test(id) ? id : undefined;

const allowOrigins = (origins: string[]) =>
  cors({
    origin: origins.includes("*") ? "*" : origins,
    credentials: !origins.includes("*"),
    allowHeaders: ["Authorization", "Content-Type", "Accept", "X-Request-ID"],
    exposeHeaders: ["X-Request-ID", "Server-Timing"],
    maxAge: 600,
  });

const methodOf = ({ contract }: Endpoint): string => contract.method.toUpperCase();

/** Which methods each path has, paths that differ only in a parameter's name taken together. */
function methodsByPath(operations: readonly (Endpoint & { path: string })[]): Map<string, string[]> {
  const groups = Map.groupBy(operations, ({ path }) => path.replaceAll(/:\w+/g, ":parameter"));
  return new Map(
    [...groups].map(([path, ones]) => {
      const methods = new Set(ones.map(methodOf));
      if (methods.has("GET")) methods.add("HEAD");
      return [path, [...methods].sort()];
    }),
  );
}

function errorAnswer(deps: Deps, thrown: Error, request_id: string): Response {
  if (thrown instanceof ValidationError) return Response.json({ detail: thrown.faults }, { status: 422 });
  const error = thrown instanceof HttpError ? thrown : (violationAnswer(thrown) ?? outOfReach(thrown));
  if (!error || error.status >= 500)
    deps.log.error({ request_id, error: describeError(thrown) }, "request failed");
  return error ? refuse(error.status, error.message, error.headers) : refuse(500, "Internal Server Error");
}

const outOfReach = (thrown: Error): HttpError | undefined =>
  isUnavailable(thrown) ? unavailable("The database cannot be reached", thrown) : undefined;

const refuse = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ detail }, { status, headers });
