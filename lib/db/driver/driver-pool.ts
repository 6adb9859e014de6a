import type { Db } from "../client.ts";
import { DatabaseBusy, translateDriverError } from "../unavailable.ts";
import type { Traits } from "./database.ts";
import type { Pool, Statement } from "./layers.ts";

/** A pool of a driver's connections: it sends one statement by any free connection, or lends one. */
export type DriverPool = Pool & {
  /** Drizzle on the layered pool. */
  database(pool: Pool, traits: Traits): Db;
  onIdleLost(listener: (error: Error) => void): void;
  end(): Promise<void>;
};

/** What both drivers have of a client, and of a pool. */
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
 * Sends one statement by any free connection. The pool's own `query` closes the connection after any error: each caller
 * that waits in vain for a lock would then cost a new one.
 */
export const sendAlone = (pool: ClientPool, { query, values }: Statement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    pool.connect((unconnected, client, release) => {
      if (!client) return reject(unconnected);
      let ended = false;
      const end = (error: Error | undefined, result?: unknown) => {
        if (ended) return;
        ended = true;
        client.removeListener("error", end);
        release(keepsConnection(error) ? undefined : error);
        if (error) reject(error);
        else resolve(result);
      };
      client.once("error", end);
      Reflect.apply(client.query as () => void, client, [query, values, end]);
    });
  });

/** A temporary refusal leaves the session as it is, unless the server ended it as well. */
const keepsConnection = (error: Error | undefined): boolean =>
  translateDriverError(error) instanceof DatabaseBusy && !isFatal(error);

/** True if the server ended the session with this error. */
export const isFatal = (error: unknown): boolean =>
  error instanceof Error && ["FATAL", "PANIC"].includes(String(Reflect.get(error, "severity")));
