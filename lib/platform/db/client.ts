import type { NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";

/** A database or a transaction. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>;

/** Its statements may be repeated. Any `Db` is one. */
export type ReadDb = Pick<
  Db,
  "$count" | "$with" | "_" | "execute" | "select" | "selectDistinct" | "selectDistinctOn" | "with"
>;
