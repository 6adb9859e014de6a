import type { NodePgDatabase, NodePgSession, NodePgTransaction } from "drizzle-orm/node-postgres";
import { PgDialect, type PgTransactionConfig } from "drizzle-orm/pg-core";
import { areRowsChecked, checkRows } from "../checked.ts";
import type { Db } from "../client.ts";
import { isRefused, isUnavailable } from "../unavailable.ts";
import { type Client, type Connection, clientOf, type Pool, statementOf } from "./layers.ts";
import { lockTimeout } from "./lock-timeout.ts";

type NoSchema = Record<string, never>;

/** What the statements of a handle have in common. */
export type Traits = {
  /** Nothing is written by this handle: each of its statements may be repeated. */
  repeatable: boolean;
  /** For how long a transaction's statements wait for locks, where that is not as the account has it. */
  lockTimeoutMs?: number | undefined;
};

/** Drizzle's classes for a driver. Those for Neon differ from these by the driver alone. */
export type Drizzle = {
  Database: typeof NodePgDatabase;
  Session: typeof NodePgSession;
  Transaction: typeof NodePgTransaction;
};

/** Drizzle on a pool whose statements go through layers. Its transactions begin once more where BEGIN met a dead connection. */
export function layeredDatabase({ Database, Session, Transaction }: Drizzle) {
  /** A transaction, in which others may be: of each the rows are checked where those of its database are. */
  class CheckedTransaction extends Transaction<NoSchema, NoSchema> {
    override transaction<T>(work: (tx: NodePgTransaction<NoSchema, NoSchema>) => Promise<T>): Promise<T> {
      return super.transaction((tx) => {
        if (areRowsChecked(this)) checkRows(tx);
        return work(tx);
      });
    }
  }

  class LayeredDatabase extends Database<NoSchema> {
    readonly #dialect: PgDialect;
    readonly #pool: Pool;
    readonly #lockTimeoutMs: number | undefined;

    constructor(pool: Pool, { repeatable, lockTimeoutMs }: Traits) {
      const dialect = new PgDialect();
      super(dialect, sessionOn(clientOf(pool.send, { repeatable }), dialect), undefined);
      this.#dialect = dialect;
      this.#pool = pool;
      this.#lockTimeoutMs = lockTimeoutMs;
    }

    override async transaction<T>(
      work: (tx: CheckedTransaction) => Promise<T>,
      config: PgTransactionConfig = {},
    ): Promise<T> {
      const begin = () => this.#begin(config);
      const connection = await begin().catch((error) =>
        isUnavailable(error) && !isRefused(error) ? begin() : Promise.reject(error),
      );
      const client = clientOf(connection.send, { repeatable: false });
      const tx = new CheckedTransaction(this.#dialect, sessionOn(client, this.#dialect), undefined);
      if (areRowsChecked(this)) checkRows(tx);
      try {
        const result = await work(tx);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch((failure) => connection.release(failure));
        throw error;
      } finally {
        connection.release();
      }
    }

    /** A connection on which a transaction has begun. */
    async #begin(config: PgTransactionConfig): Promise<Connection> {
      const connection = await this.#pool.connect();
      const settings = this.#lockTimeoutMs ? `; ${lockTimeout(this.#lockTimeoutMs)}` : "";
      try {
        await connection.send(statementOf(`begin${modesOf(config)}${settings}`));
        return connection;
      } catch (error) {
        connection.release(error instanceof Error ? error : true);
        throw error;
      }
    }
  }

  const sessionOn = (client: Client, dialect: PgDialect) =>
    new Session<NoSchema, NoSchema>(client as never, dialect, undefined);

  return (pool: Pool, traits: Traits): Db => new LayeredDatabase(pool, traits);
}

function modesOf({ isolationLevel, accessMode, deferrable }: PgTransactionConfig): string {
  const level = isolationLevel ? ` isolation level ${isolationLevel}` : "";
  const deferring = deferrable === undefined ? "" : deferrable ? " deferrable" : " not deferrable";
  return `${level}${accessMode ? ` ${accessMode}` : ""}${deferring}`;
}
