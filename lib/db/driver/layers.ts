/** As drizzle hands it over: a text, or an object with one, and its values. */
export type Statement = readonly unknown[];

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

/** A connection as drizzle takes it. */
export type LentClient = Pick<Connection, "release" | "stream"> & {
  query(...statement: unknown[]): Promise<unknown>;
};

/** A pool as drizzle takes it, whose statements and connections go through layers, the first of them first. */
export class LayeredPool {
  /** By which drizzle knows a pool, also in a bundle that shortens names. */
  static readonly name = "LayeredPool";

  readonly #layers: readonly Layer[];
  readonly #send: Send;
  readonly #connect: () => Promise<Connection>;

  constructor(send: Send, connect: () => Promise<Connection>, layers: readonly Layer[]) {
    this.#layers = layers;
    this.#send = layers.reduceRight<Send>(
      (next, { alone }) => (alone ? (statement) => alone(statement, next) : next),
      send,
    );
    this.#connect = layers.reduceRight<() => Promise<Connection>>(
      (next, { connect: around }) => (around ? () => around(next) : next),
      connect,
    );
  }

  query(...statement: unknown[]): Promise<unknown> {
    return this.#send(statement);
  }

  async connect(): Promise<LentClient> {
    const connection = await this.#connect();
    const send = this.#layers.reduceRight<Send>(
      (next, { within }) => (within ? (statement) => within(statement, next, connection) : next),
      connection.send,
    );
    const { release, stream } = connection;
    return { query: (...statement) => send(statement), release, ...(stream && { stream }) };
  }
}

/** The SQL of a statement. */
export function textOf([query]: Statement): string {
  if (typeof query === "object" && query !== null) return String(Reflect.get(query, "text") ?? "");
  return String(query);
}
