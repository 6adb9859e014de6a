import type { QueryStats } from "../platform/db/driver/observe.ts";
import type { Logger } from "../platform/logging/log.ts";

/** `route` is the route's pattern, absent if none matches. */
export type LoggedRequest = {
  request_id: string;
  method: string;
  path: string;
  route: string | undefined;
  status: number;
  duration_ms: number;
  record: QueryStats;
};

/** Writes exactly these fields, with time and level. */
export function logRequest(log: Logger, request: LoggedRequest): void {
  const { request_id, method, path, route, status, duration_ms, record } = request;
  log.info({
    request_id,
    method,
    path: showablePath(path, route),
    status_code: status,
    duration_ms: rounded(duration_ms),
    db_query_count: record.count,
    db_query_time_ms: rounded(record.duration_ms),
  });
}

/**
 * Redacts secrets: parameters that are tokens and, without a route, every segment long enough to be one. The
 * query is never logged.
 */
function showablePath(path: string, route: string | undefined): string {
  if (route && !route.includes("token}")) return path;
  const names = route?.split("/");
  const isSecret = (segment: string, at: number) =>
    names ? names[at]?.endsWith("token}") : segment.length >= SHORTEST_TOKEN;
  return path
    .split("/")
    .map((segment, at) => (isSecret(segment, at) ? "[hidden]" : segment))
    .join("/");
}

const SHORTEST_TOKEN = 20;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
