import type pg from "pg";
import { applyInAnyOrder, checkBodies } from "./apply.ts";
import { type Catalog, readCatalog } from "./catalog.ts";
import type { Statement } from "./statements.ts";
import { createTables, type Snapshot } from "./tables.ts";

/** The database that schema/ describes: everything it is made of, and the text of what Drizzle does not make. */
export type Wanted = { catalog: Catalog; texts: ReadonlyMap<string, string> };

/** Makes it in an empty database, reads it, and leaves the database empty. */
export async function buildWanted(
  client: pg.Client,
  tables: Snapshot,
  statements: Statement[],
): Promise<Wanted> {
  const texts = new Map<string, string>();
  const isFunction = ({ makes }: Statement) => makes === "function" || makes === "extension";
  const changesOf = (some: Statement[]) => some.map((statement) => ({ ways: [[statement.text]], statement }));
  // Column defaults call functions: with these first, half as many statements fail and are repeated.
  const changes: { ways: string[][]; statement?: Statement }[] = [
    ...changesOf(statements.filter(isFunction)),
    ...(await createTables(tables)).map((text) => ({ ways: [[text]] })),
    ...changesOf(statements.filter((statement) => !isFunction(statement))),
  ];
  await client.query("begin");
  try {
    await applyInAnyOrder(client, changes, async ({ statement }) => {
      if (!statement) return;
      const object = await objectOf(client, statement);
      // What replaced a function made no new one: the newest is still the one before it.
      if (texts.has(object))
        throw new Error(`${statement.file}: ${statement.makes} ${statement.name} stands here a second time`);
      texts.set(object, statement.text);
    });
    await checkBodies(client);
    return { catalog: await readCatalog(client), texts };
  } finally {
    await client.query("rollback");
  }
}

/** The name in the catalog of what a statement has just made; a function's has its types as PostgreSQL spells them. */
async function objectOf(client: pg.Client, { makes, name }: Statement): Promise<string> {
  if (makes !== "function") return `${makes} ${name}`;
  const { rows } = await client.query<{ object: string }>(
    `select format('function %s', oid::regprocedure) as object from pg_proc
     where pronamespace = 'public'::regnamespace order by oid desc limit 1`,
  );
  return rows[0]?.object ?? "";
}
