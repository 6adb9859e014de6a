import type { Context } from "hono";
import type { Deps } from "../deps.ts";
import { type RequestContext, runInRequestContext } from "../platform/async/request-context.ts";
import { logRequest } from "./access-log.ts";
import { createCallerAddressReader } from "./caller-address.ts";
import type { ReplyHeaders } from "./header-map.ts";
import type { HttpReply } from "./http-reply.ts";
import { setSecurityHeaders } from "./protective-headers.ts";
import { publicApiUrl } from "./public-url.ts";
import { serverTimingHeader } from "./server-timing.ts";
import { streamEndedKey } from "./sse.ts";

/** `work` must not throw. `route` is the path's pattern. */
export type ObserveRequest = (
  c: Context,
  route: string | undefined,
  work: () => Promise<HttpReply>,
) => Promise<HttpReply>;

/** Assigns the request's ID and record. Logs and measures it at the response's end. */
export function createRequestObserver({
  config,
  directoryRequests,
  lifecycle,
  log,
  metrics,
  now,
  refusals,
}: Deps): ObserveRequest {
  const addressOf = createCallerAddressReader(config);
  return async (c, route, work) => {
    const started = performance.now();
    const request_id = wellFormedId(c.req.header("x-request-id")) ?? crypto.randomUUID();
    const operation = route && `${c.req.method} ${route}`;
    const from = addressOf(c);
    const caller = c.env?.outgoing;
    const record: RequestContext & { at: Date } = {
      request_id,
      operation,
      path: c.req.path,
      at: now(),
      from,
      caller,
      api: () => publicApiUrl(c, config),
      count: 0,
      duration_ms: 0,
    };
    metrics.requestStarted();
    const endRequest = lifecycle.begin();
    const reply = await runInRequestContext(record, work);

    const { headers, status } = reply;
    headers.set("X-Request-ID", request_id);
    if (isJson(headers)) headers.set("Server-Timing", serverTimingHeader(record));

    const { account: person } = record;
    if (status === 403 && operation && typeof person === "number")
      refusals.note({ person, operation, at: record.at, request: request_id, from });

    const { method, path } = c.req;
    const { api_key, key_hash, key_holds = false, directory } = record;
    if (directory && api_key !== undefined && key_hash)
      directoryRequests.note({
        ...{
          api_key,
          key_hash,
          key_holds: key_holds && status !== 401,
          at: record.at,
          method,
          status,
          request: request_id,
        },
        ...{ path: directory.path, scim_type: directory.scim_type, detail: directory.detail },
      });
    setSecurityHeaders(c, config, route, reply);
    const end = () => {
      endRequest();
      const duration_ms = performance.now() - started;
      metrics.requestAnswered({ method, route, status, duration_ms });
      if (config.ENABLE_ACCESS_LOG)
        logRequest(log, { request_id, method, path, route, status, duration_ms, record });
    };
    const ended: Promise<void> | undefined = c.get(streamEndedKey);
    if (ended) void ended.finally(end);
    else end();
    return reply;
  };
}

const wellFormedId = (id: string | undefined): string | undefined =>
  id && /^[A-Za-z0-9._-]{8,128}$/.test(id) ? id : undefined;

const isJson = (headers: ReplyHeaders): boolean =>
  headers.get("content-type")?.startsWith("application/json") ?? false;
