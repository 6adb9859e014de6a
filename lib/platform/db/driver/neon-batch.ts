import { Client, type Connection, type Submittable } from "@neondatabase/serverless";
import { StatementNotExecuted } from "../unavailable.ts";
import { type Answered, isFatalPostgresError, promiseOf, startQueryTimeout } from "./driver-pool.ts";

/** The client's statement, which handles the server's messages. Missing from the package's types. */
type Query = {
  name?: string;
  text: string;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
};
type QueryClass = new (query: unknown, values: unknown, answered: Answered) => Query;
type Bound = { values: unknown[] | undefined; valueMapper(value: unknown): unknown };
type Parsed = { parsedStatements: Record<string, string> };

const { Query } = Client as unknown as { Query: QueryClass };

/** Sends statements before one Sync: one round trip and one transaction. */
export class StatementBatch implements Submittable {
  readonly #queries: Query[] = [];
  /** Without statements whose values could not be serialized. */
  readonly #sent: Query[] = [];
  #completed = 0;
  #timeout: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.#queries.length === 0;
  }

  /** The statement of the next messages. The client records which names are parsed. */
  get name(): string | undefined {
    return this.#current?.name;
  }

  get text(): string | undefined {
    return this.#current?.text;
  }

  get #current(): Query | undefined {
    return this.#sent[this.#completed];
  }

  add(query: unknown, values: unknown): Promise<unknown> {
    return promiseOf((answered) => this.#queries.push(new Query(query, values, answered)));
  }

  submit(connection: Connection): void {
    this.#timeout = startQueryTimeout(connection.stream);
    let next: Query | undefined;
    const unsynced = withoutSync(connection, () => next && this.#sent.push(next));
    for (next of this.#queries) next.prepare(unsynced);
    connection.sync();
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#completed += 1;
  }

  handleEmptyQuery(connection: Connection): void {
    this.#current?.handleEmptyQuery(connection);
    this.#completed += 1;
  }

  /** A statement's error fails only that statement. An error that ends the session fails all. */
  handleError(error: Error, connection: Connection): void {
    const failed = "severity" in error && !isFatalPostgresError(error) ? this.#current : undefined;
    const undone = new StatementNotExecuted("Another statement of the batch failed", { cause: error });
    for (const query of this.#queries)
      query.handleError(failed && query !== failed ? undone : error, connection);
    clearTimeout(this.#timeout);
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#sent) query.handleReadyForQuery(connection);
    clearTimeout(this.#timeout);
  }
}

/**
 * Reports a statement's Sync instead of sending it, and tracks names parsed in the batch. Unserializable
 * values throw before their statement is sent.
 */
function withoutSync(connection: Connection, onSent: () => void): Connection {
  const parsed = Object.create((connection as Connection & Parsed).parsedStatements);
  let waiting: Parameters<Connection["parse"]> | undefined;
  return Object.create(connection, {
    parsedStatements: { value: parsed },
    parse: {
      value(...args: Parameters<Connection["parse"]>) {
        waiting = args;
      },
    },
    bind: {
      value({ values, valueMapper, ...config }: Bound, more: boolean) {
        const toParse = waiting;
        waiting = undefined;
        const written = values?.map((value) => valueMapper(value));
        if (toParse) connection.parse(...toParse);
        if (toParse?.[0].name) parsed[toParse[0].name] = toParse[0].text;
        connection.bind({ ...config, values: written } as never, more);
      },
    },
    sync: { value: onSent },
  });
}
