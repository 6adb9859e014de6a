import type { NodePgQueryResultHKT } from "drizzle-orm/node-postgres";
import type { PgDatabase } from "drizzle-orm/pg-core";

/** A database or a transaction; functions that write take either. */
export type Db = PgDatabase<NodePgQueryResultHKT, Record<string, never>>;

/** A read-only handle, whose statements may be repeated. Functions that read take it; any `Db` is one. */
export type ReadDb = Pick<
  Db,
  "$count" | "$with" | "_" | "execute" | "select" | "selectDistinct" | "selectDistinctOn" | "with"
>;
