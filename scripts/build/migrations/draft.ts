import type pg from "pg";
import { applyInAnyOrder } from "../../../lib/platform/db/migrations/any-order.ts";
import { readTableCatalog } from "./catalog.ts";
import { compare, type Difference, describeDifference } from "./compare.ts";
import { changesOf } from "./needed-functions.ts";
import type { Texts, Wanted } from "./wanted.ts";

/**
 * The statements that change a migrated database's tables to schema/db's. They are tested in a rolled-back
 * transaction and must leave no difference.
 */
export async function draftStatements(
  client: pg.Client,
  wanted: Wanted,
  tables: string[],
  { functions }: Pick<Texts, "functions">,
): Promise<string[]> {
  const differences = async () => compare(wanted.catalog, await readTableCatalog(client));
  await client.query("begin");
  try {
    const extensions = replacements(await differences(), wanted, "extension");
    const statements = await applyInAnyOrder(
      client,
      await changesOf(client, [...extensions, ...tables], functions),
    );
    const constraints = replacements(await differences(), wanted, "constraint");
    statements.push(...(await applyInAnyOrder(client, await changesOf(client, constraints, functions))));
    refuse(await differences());
    return statements;
  } finally {
    await client.query("rollback");
  }
}

/** Statements that create missing or different objects from their text. */
const replacements = (left: Difference[], { texts }: Wanted, kind: string): string[] =>
  left.flatMap(({ object, wanted }) => {
    const text = object.startsWith(`${kind} `) && wanted !== undefined && texts.get(object);
    return text ? [text] : [];
  });

function refuse(left: Difference[]): void {
  if (left.length === 0) return;
  const lines = left.map((one) => `- ${describeDifference(one)}`);
  throw new Error(
    `No migration can be written: it would not make the tables match schema/db.\n${lines.join("\n")}`,
  );
}
