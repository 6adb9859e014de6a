import type { NodePgDatabase, NodePgSession, NodePgTransaction } from "drizzle-orm/node-postgres";
import { PgDialect, type PgTransactionConfig } from "drizzle-orm/pg-core";
import type { Db } from "../client.ts";
import { areRowsChecked, enableRowChecks } from "../row-checks.ts";
import { isDatabaseBusy, isDatabaseUnavailable } from "../unavailable.ts";
import { type Client, type Connection, type Pool, toDrizzleClient, toStatement } from "./layers.ts";
import { setLockTimeoutSql } from "./lock-timeout.ts";

type NoSchema = Record<string, never>;

export type DatabaseTraits = {
  /** The handle is read-only: its statements may be repeated. */
  repeatable: boolean;
  lockTimeoutMs?: number | undefined;
};

/** Neon's classes differ only in the driver. */
export type DrizzleDriverClasses = {
  Database: typeof NodePgDatabase;
  Session: typeof NodePgSession;
  Transaction: typeof NodePgTransaction;
};

/** Drizzle on a layered pool. Repeats a BEGIN that met a dead connection. */
export function createLayeredDatabaseFactory({ Database, Session, Transaction }: DrizzleDriverClasses) {
  /** Passes the row check on to nested transactions. */
  class CheckedTransaction extends Transaction<NoSchema, NoSchema> {
    override transaction<T>(work: (tx: NodePgTransaction<NoSchema, NoSchema>) => Promise<T>): Promise<T> {
      return super.transaction((tx) => {
        if (areRowsChecked(this)) enableRowChecks(tx);
        return work(tx);
      });
    }
  }

  class LayeredDatabase extends Database<NoSchema> {
    readonly #dialect: PgDialect;
    readonly #pool: Pool;
    readonly #lockTimeoutMs: number | undefined;

    constructor(pool: Pool, { repeatable, lockTimeoutMs }: DatabaseTraits) {
      const dialect = new PgDialect();
      super(dialect, sessionOn(toDrizzleClient(pool.send, { repeatable }), dialect), undefined);
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
        isDatabaseUnavailable(error) && !isDatabaseBusy(error) ? begin() : Promise.reject(error),
      );
      const client = toDrizzleClient(connection.send, { repeatable: false });
      const tx = new CheckedTransaction(this.#dialect, sessionOn(client, this.#dialect), undefined);
      if (areRowsChecked(this)) enableRowChecks(tx);
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

    async #begin(config: PgTransactionConfig): Promise<Connection> {
      const connection = await this.#pool.connect();
      const settings = this.#lockTimeoutMs ? `; ${setLockTimeoutSql(this.#lockTimeoutMs)}` : "";
      try {
        await connection.send(toStatement(`begin${modesOf(config)}${settings}`));
        return connection;
      } catch (error) {
        connection.release(error instanceof Error ? error : true);
        throw error;
      }
    }
  }

  const sessionOn = (client: Client, dialect: PgDialect) =>
    new Session<NoSchema, NoSchema>(client as never, dialect, undefined);

  return (pool: Pool, traits: DatabaseTraits): Db => new LayeredDatabase(pool, traits);
}

function modesOf({ isolationLevel, accessMode, deferrable }: PgTransactionConfig): string {
  const level = isolationLevel ? ` isolation level ${isolationLevel}` : "";
  const deferring = deferrable === undefined ? "" : deferrable ? " deferrable" : " not deferrable";
  return `${level}${accessMode ? ` ${accessMode}` : ""}${deferring}`;
}
