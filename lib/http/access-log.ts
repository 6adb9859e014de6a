import type { QueryStats } from "../db/observe.ts";
import type { Logger } from "../log.ts";

export type RequestEnd = {
  request_id: string;
  method: string;
  path: string;
  status_code: number;
  started: number;
  stats: QueryStats;
};

/** Writes the one line of a request, once its answer has ended (for a stream: with its last event). */
export function logRequest(log: Logger, { started, stats, ...request }: RequestEnd): void {
  log.info({
    ...request,
    duration_ms: rounded(performance.now() - started),
    db_query_count: stats.count,
    db_query_time_ms: rounded(stats.duration_ms),
  });
}

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;
