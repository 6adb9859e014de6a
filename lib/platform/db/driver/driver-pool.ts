import type { Db } from "../client.ts";
import { DatabaseBusy, translateDriverError } from "../unavailable.ts";
import type { DatabaseTraits } from "./database.ts";
import type { Pool, Statement } from "./layers.ts";

export type DriverPool = Pool & {
  database(pool: Pool, traits: DatabaseTraits): Db;
  onIdleLost(listener: (error: Error) => void): void;
  end(): Promise<void>;
};

type PooledClient = {
  query: unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
};
type ClientPool = {
  connect(
    callback: (
      error: Error | undefined,
      client: PooledClient | undefined,
      release: (error?: Error) => void,
    ) => void,
  ): void;
};

/**
 * Sends on any free connection. The pool's own `query` would close it after each error, such as a lock
 * timeout.
 */
export const sendOnFreeConnection = (pool: ClientPool, { query, values }: Statement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    pool.connect((unconnected, client, release) => {
      if (!client) return reject(unconnected);
      let ended = false;
      const end = (error: Error | undefined, result?: unknown) => {
        if (ended) return;
        ended = true;
        client.removeListener("error", end);
        release(error && !keepsConnection(error) ? error : undefined);
        if (error) reject(error);
        else resolve(result);
      };
      client.once("error", end);
      Reflect.apply(client.query as () => void, client, [query, values, end]);
    });
  });

/** A temporary refusal keeps the session, unless the server ended it. */
const keepsConnection = (error: Error): boolean =>
  translateDriverError(error) instanceof DatabaseBusy && !isFatalPostgresError(error);

export const isFatalPostgresError = (error: unknown): boolean =>
  error instanceof Error && ["FATAL", "PANIC"].includes(String(Reflect.get(error, "severity")));
