import type { NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";

/** A database or a transaction: verbs that write take either. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>;

/**
 * A database by which nothing is written, as reads are given it: what it is sent may be sent again. Verbs that read take
 * it, and any `Db` is one.
 */
export type ReadDb = Pick<
  Db,
  "$count" | "$with" | "_" | "execute" | "select" | "selectDistinct" | "selectDistinctOn" | "with"
>;
