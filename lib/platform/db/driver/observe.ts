import { AsyncLocalStorage } from "node:async_hooks";
import type { Layer, Send, Statement } from "./layers.ts";

/** A request's round trips, with BEGIN and COMMIT, and their total time. */
export type QueryStats = {
  count: number;
  duration_ms: number;
  /** Such as `GET /api/v1/courses`. Each operation has a share of the connections. */
  operation?: string | undefined;
};

/** `queryStatsStorage.run({ count: 0, duration_ms: 0 }, …)` sums a request's queries. */
export const queryStatsStorage = new AsyncLocalStorage<QueryStats>();

/** `text` is SQL with `$1` placeholders, without values. */
export type QueryReport = { text: string; duration_ms: number; failed: boolean };

export type OnQuery = (report: QueryReport) => void;

export function createQueryObserverLayer(onQuery: OnQuery = () => {}): Layer {
  const measure = (statement: Statement, next: Send) =>
    measureRoundTrip(
      () => next(statement),
      (duration_ms, failed) => onQuery({ text: statement.text, duration_ms, failed }),
    );
  return { alone: measure, within: measure };
}

/** Adds it to the request's. */
export async function measureRoundTrip<Result>(
  run: () => Promise<Result>,
  report?: (duration_ms: number, failed: boolean) => void,
): Promise<Result> {
  const stats = queryStatsStorage.getStore();
  const startedAt = performance.now();
  let failed = true;
  try {
    const result = await run();
    failed = false;
    return result;
  } finally {
    const duration_ms = performance.now() - startedAt;
    if (stats) {
      stats.count += 1;
      stats.duration_ms += duration_ms;
    }
    report?.(duration_ms, failed);
  }
}
