import { PlannedByValue } from "../planned-by-value.ts";

export type Statement = {
  text: string;
  /** As drizzle passes it: the text, alone or with how its rows are read. */
  query: unknown;
  values: readonly unknown[] | undefined;
  /** Read-only: may be sent again. */
  repeatable: boolean;
  /** May be prepared once for all values. */
  named: boolean;
};

export type Send = (statement: Statement) => Promise<unknown>;

export type Connection = {
  /** Sends immediately, behind earlier statements. */
  send: Send;
  /** With an error, the pool closes the connection. */
  release(error?: Error | boolean): void;
  stream?: { cork(): void; uncork(): void };
};

/** Middleware around statements and connecting. */
export type Layer = {
  /** Outside a transaction, for any connection. */
  alone?: (statement: Statement, next: Send) => Promise<unknown>;
  within?: (statement: Statement, next: Send, connection: Connection) => Promise<unknown>;
  connect?: (next: () => Promise<Connection>) => Promise<Connection>;
};

/** Both operations pass through the pool's layers, first layer first. */
export type Pool = { send: Send; connect(): Promise<Connection> };

export function applyPoolLayers({ send, connect }: Pool, layers: readonly Layer[]): Pool {
  const lend = layers.reduceRight<Pool["connect"]>(
    (next, { connect: around }) => (around ? () => around(next) : next),
    connect,
  );
  return {
    send: layers.reduceRight<Send>(
      (next, { alone }) => (alone ? (statement) => alone(statement, next) : next),
      send,
    ),
    async connect() {
      const connection = await lend();
      const within = layers.reduceRight<Send>(
        (next, { within: around }) => (around ? (statement) => around(statement, next, connection) : next),
        connection.send,
      );
      return { ...connection, send: within };
    },
  };
}

export type Client = { query(query: unknown, values?: readonly unknown[]): Promise<unknown> };

export const toDrizzleClient = (send: Send, { repeatable }: { repeatable: boolean }): Client => ({
  query: (query, values) => send({ ...toStatement(query, values), repeatable }),
});

/** Drizzle's own statements carry no traits. */
export function toStatement(query: unknown, values?: readonly unknown[]): Statement {
  const text = typeof query === "object" && query !== null ? Reflect.get(query, "text") : query;
  const named =
    values !== undefined && values.length > 0 && !values.some((one) => one instanceof PlannedByValue);
  return { text: String(text), query, values, repeatable: false, named };
}
