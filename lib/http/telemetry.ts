import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Deps } from "../deps.ts";
import { type RequestRecord, recordRequest } from "../request-record.ts";
import { logRequest } from "./access-log.ts";
import { protect } from "./protective-headers.ts";
import { serverTiming } from "./server-timing.ts";
import { streamEnded } from "./sse.ts";

/** Middleware: gives each request its id and its record, and logs and measures it when its answer has ended. */
export function telemetry({ config, lifecycle, log, metrics, now }: Deps): MiddlewareHandler {
  return async (c, next) => {
    const started = performance.now();
    const request_id = wellFormedId(c.req.header("x-request-id")) ?? crypto.randomUUID();
    const record: RequestRecord = { request_id, at: now(), from: addressOf(c), count: 0, duration_ms: 0 };
    metrics.requestStarted();
    const endRequest = lifecycle.begin();
    await recordRequest(record, next);

    const { headers, status } = c.res;
    headers.set("X-Request-ID", request_id);
    if (isJson(headers)) headers.set("Server-Timing", serverTiming(record));

    const { method, path } = c.req;
    const route = routeOf(c);
    protect(c, config, route);
    const end = () => {
      endRequest();
      const duration_ms = performance.now() - started;
      metrics.requestAnswered({ method, route, status, duration_ms });
      if (config.ENABLE_ACCESS_LOG)
        logRequest(log, { request_id, method, path, route, status, duration_ms, record });
    };
    const ended: Promise<void> | undefined = c.get(streamEnded);
    if (ended) void ended.finally(end);
    else end();
  };
}

/** Of the other end: the gateway's word for it on Lambda, else the socket's. */
function addressOf({ env }: Context): string | undefined {
  const { requestContext: { identity, http } = {}, incoming } = env ?? {};
  return identity?.sourceIp ?? http?.sourceIp ?? incoming?.socket?.remoteAddress;
}

const wellFormedId = (id: string | undefined): string | undefined =>
  id && /^[A-Za-z0-9._-]{8,128}$/.test(id) ? id : undefined;

const isJson = (headers: Headers): boolean =>
  headers.get("content-type")?.startsWith("application/json") ?? false;

/** The pattern of the route that answered, such as `/api/v1/courses/{course_id}`. */
function routeOf(c: Context): string | undefined {
  const route = matchedRoutes(c).find(({ path }) => !path.includes("*"));
  return route?.path.replaceAll(/:(\w+)/g, "{$1}");
}
