import { AsyncLocalStorage } from "node:async_hooks";

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

type Callable = (...args: never[]) => unknown;

export type Queryable = { query: Callable };

/** What drizzle uses of a pool. */
export type QueryPool = Queryable & { connect: Callable };

/**
 * Counts and times every round trip that goes through the pool, in place: `pool.query`, and `query` of the
 * clients that `await pool.connect()` hands out. Each is added to the current `queryStats` and reported.
 */
export function observePool(pool: QueryPool, onQuery: OnQuery = () => {}): void {
  const observed = new WeakSet<Queryable>();
  const connect = pool.connect;
  pool.query = observedQuery(pool, onQuery);
  pool.connect = (...args: unknown[]) => {
    const client = Reflect.apply(connect, pool, args);
    return endsInCallback(args) ? client : Promise.resolve(client).then(observeOnce);
  };

  function observeOnce(client: Queryable): Queryable {
    if (!observed.has(client)) client.query = observedQuery(client, onQuery);
    observed.add(client);
    return client;
  }
}

/** A driver's pool calls itself and its clients in callback style: what it does there is part of one `pool.query`. */
export const endsInCallback = (args: readonly unknown[]): boolean => typeof args.at(-1) === "function";

/** The SQL of a call to `query`, which takes a text or an object with a text. */
export function queryText(args: readonly unknown[]): string {
  const [query] = args;
  if (typeof query === "object" && query !== null) return String(Reflect.get(query, "text") ?? "");
  return String(query);
}

function observedQuery(target: Queryable, onQuery: OnQuery): Callable {
  const query = target.query;
  return (...args: unknown[]) => {
    const run = () => Reflect.apply(query, target, args);
    return endsInCallback(args) ? run() : measured(run, queryText(args), onQuery);
  };
}

async function measured(run: () => unknown, text: string, onQuery: OnQuery): Promise<unknown> {
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
