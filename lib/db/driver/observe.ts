import { AsyncLocalStorage } from "node:async_hooks";
import type { Layer, Send, Statement } from "./layers.ts";

/** What one request asked of the database: round trips (BEGIN and COMMIT too) and the time they took together. */
export type QueryStats = {
  count: number;
  duration_ms: number;
  /** Which operation it is, such as `GET /api/v1/courses`: each has a share of a process's connections. */
  operation?: string | undefined;
};

/** Run a request inside `queryStats.run({ count: 0, duration_ms: 0 }, …)` and its queries are added up there. */
export const queryStats = new AsyncLocalStorage<QueryStats>();

/** One finished round trip. `text` is the SQL with its `$1` placeholders: parameter values are never reported. */
export type QueryReport = { text: string; duration_ms: number; failed: boolean };

export type OnQuery = (report: QueryReport) => void;

/** Counts and times every round trip, which is added to the current `queryStats` and reported. */
export function observe(onQuery: OnQuery = () => {}): Layer {
  const measure = (statement: Statement, next: Send) =>
    measured(() => next(statement), statement.text, onQuery);
  return { alone: measure, within: measure };
}

async function measured(run: () => Promise<unknown>, text: string, onQuery: OnQuery): Promise<unknown> {
  const stats = queryStats.getStore();
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
    onQuery({ text, duration_ms, failed });
  }
}
