import type { QueryStats } from "../db/driver/observe.ts";
import type { Logger } from "../logging/log.ts";

/** A request whose answer has ended. `route` is its pattern, absent where nothing stands at its path. */
export type LoggedRequest = {
  request_id: string;
  method: string;
  path: string;
  route: string | undefined;
  status: number;
  duration_ms: number;
  record: QueryStats;
};

/** Writes the one line of a request, with exactly these fields beside the time and the level. */
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
 * A path without what opens something to whoever knows it: the values of parameters that are tokens, and where
 * no route says what a value is, every segment that is long enough to be one. The query is not part of a path.
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
