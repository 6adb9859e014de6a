import type { Db } from "../client.ts";
import { DatabaseBusy, translateDriverError } from "../unavailable.ts";
import type { DatabaseTraits } from "./database.ts";
import type { Connection, Pool, Statement } from "./layers.ts";
import { QUERY_TIMEOUT_MS } from "./pool-options.ts";

export type DriverPool = Pool & {
  database(pool: Pool, traits: DatabaseTraits): Db;
  onIdleLost(listener: (error: Error) => void): void;
  end(): Promise<void>;
};

/** Some drivers pass null for no error. */
export type Answered = (error: Error | null | undefined, result?: unknown) => void;

type Socket = NonNullable<Connection["stream"]> & { destroy(error: Error): void };

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

/** Missing from the drivers' types. */
export const socketOf = (client: object): Socket =>
  (client as { connection: { stream: Socket } }).connection.stream;

/** Destroys the connection, which fails its statements. */
export const startQueryTimeout = (socket: Pick<Socket, "destroy">): NodeJS.Timeout =>
  setTimeout(() => socket.destroy(new Error("Query read timeout")), QUERY_TIMEOUT_MS);

/**
 * Sends without the driver's own promise and timeout. They assign a function to a property, which V8 allocates
 * in the old space: it would keep each result until the next full collection.
 */
function send(client: Pick<PooledClient, "query">, { query, values }: Statement, answered: Answered): void {
  const timeout = startQueryTimeout(socketOf(client));
  const end: Answered = (error, result) => {
    clearTimeout(timeout);
    answered(error, result);
  };
  Reflect.apply(client.query as () => void, client, [query, values, end]);
}

export const promiseOf = (begin: (answered: Answered) => void): Promise<unknown> =>
  new Promise((resolve, reject) => begin((error, result) => (error ? reject(error) : resolve(result))));

export const sendOn = (client: Pick<PooledClient, "query">, statement: Statement): Promise<unknown> =>
  promiseOf((answered) => send(client, statement, answered));

/**
 * Sends on any free connection. The pool's own `query` would close it after each error, such as a lock
 * timeout.
 */
export const sendOnFreeConnection = (pool: ClientPool, statement: Statement): Promise<unknown> =>
  new Promise((resolve, reject) => {
    pool.connect((unconnected, client, release) => {
      if (!client) return reject(unconnected);
      let ended = false;
      const end: Answered = (error, result) => {
        if (ended) return;
        ended = true;
        client.removeListener("error", end);
        release(error && !keepsConnection(error) ? error : undefined);
        if (error) reject(error);
        else resolve(result);
      };
      client.once("error", end);
      send(client, statement, end);
    });
  });

/** A temporary refusal keeps the session, unless the server ended it. */
const keepsConnection = (error: Error): boolean =>
  translateDriverError(error) instanceof DatabaseBusy && !isFatalPostgresError(error);

export const isFatalPostgresError = (error: unknown): boolean =>
  error instanceof Error && ["FATAL", "PANIC"].includes(String(Reflect.get(error, "severity")));
