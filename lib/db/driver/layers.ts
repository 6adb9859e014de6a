import { PlannedByValue } from "../planned-by-value.ts";

/** One statement, and what it says of itself. */
export type Statement = {
  text: string;
  /** Both as drizzle hands them to a driver: the text, alone or with how its rows are read, and the values. */
  query: unknown;
  values: readonly unknown[] | undefined;
  /** It writes nothing: sent again it does no harm, whatever became of it. */
  repeatable: boolean;
  /** It may be planned once for all its values. */
  named: boolean;
};

export type Send = (statement: Statement) => Promise<unknown>;

/** One of a pool's connections, until it is released. */
export type Connection = {
  /** What is sent leaves at once, behind what was sent before. */
  send: Send;
  /** With an error it is closed, and lent to nobody again. */
  release(error?: Error | boolean): void;
  /** By which it leaves. */
  stream?: { cork(): void; uncork(): void };
};

/** What is done around each statement, or around the lending of a connection; each calls the next layer, or does not. */
export type Layer = {
  /** A statement outside of a transaction, for which any connection will do. */
  alone?: (statement: Statement, next: Send) => Promise<unknown>;
  /** A statement on a connection that is lent. */
  within?: (statement: Statement, next: Send, connection: Connection) => Promise<unknown>;
  connect?: (next: () => Promise<Connection>) => Promise<Connection>;
};

/** What a pool does: both go through its layers, the first of them first. */
export type Pool = { send: Send; connect(): Promise<Connection> };

export function layered({ send, connect }: Pool, layers: readonly Layer[]): Pool {
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

/** What drizzle calls to send a statement. */
export type Client = { query(query: unknown, values?: readonly unknown[]): Promise<unknown> };

/** Statements on their way from drizzle; those of a handle by which nothing is written are repeatable. */
export const clientOf = (send: Send, { repeatable }: { repeatable: boolean }): Client => ({
  query: (query, values) => send({ ...statementOf(query, values), repeatable }),
});

/** A statement of our own, or one of drizzle's, which says nothing of itself. */
export function statementOf(query: unknown, values?: readonly unknown[]): Statement {
  const text = typeof query === "object" && query !== null ? Reflect.get(query, "text") : query;
  const named =
    values !== undefined && values.length > 0 && !values.some((one) => one instanceof PlannedByValue);
  return { text: String(text), query, values, repeatable: false, named };
}
