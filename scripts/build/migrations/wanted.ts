import type pg from "pg";
import { applyInAnyOrder } from "../../../lib/platform/db/migrations/any-order.ts";
import type { SchemaStatement } from "../../../lib/platform/db/migrations/function-texts.ts";
import { type Catalog, readTableCatalog } from "./catalog.ts";
import { changesOf } from "./needed-functions.ts";
import { createTables, type Snapshot } from "./tables.ts";

/** The tables in schema/db, and the texts of constraints and extensions that Drizzle cannot create. */
export type Wanted = { catalog: Catalog; texts: ReadonlyMap<string, string> };

/** Texts outside Drizzle: schema/db/constraints.sql, and the functions that tables call. */
export type Texts = { constraints: readonly SchemaStatement[]; functions: readonly SchemaStatement[] };

/** Makes the tables in an empty database, reads them, and leaves the database empty. */
export async function buildWanted(client: pg.Client, tables: Snapshot, texts: Texts): Promise<Wanted> {
  await client.query("begin");
  try {
    const constraints = texts.constraints.map(({ text }) => text);
    const changes = await changesOf(
      client,
      [...(await createTables(tables)), ...constraints],
      texts.functions,
    );
    await applyInAnyOrder(client, changes);
    return {
      catalog: await readTableCatalog(client),
      texts: new Map(texts.constraints.map(({ makes, name, text }) => [`${makes} ${name}`, text])),
    };
  } finally {
    await client.query("rollback");
  }
}
