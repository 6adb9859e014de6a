import type pg from "pg";
import type { SchemaChange } from "../../../lib/platform/db/migrations/any-order.ts";
import type { SchemaStatement } from "../../../lib/platform/db/migrations/function-texts.ts";

/*
 * Migrations run before functions are applied. A migration whose default, generated column or index calls a
 * function therefore includes its text and that of its callees. The current text in schema/functions is
 * applied afterwards.
 */

/** Table statements as changes, with the functions that they call and the database lacks. */
export async function changesOf(
  client: pg.Client,
  statements: readonly string[],
  functions: readonly SchemaStatement[],
): Promise<SchemaChange[]> {
  const { rows } = await client.query<{ name: string }>(
    "select proname as name from pg_proc where pronamespace = 'public'::regnamespace",
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = functions.filter(({ makes, name }) => makes === "function" && !there.has(name));
  return [...neededBy(statements, missing), ...statements].map((text) => ({ ways: [[text]] }));
}

function neededBy(statements: readonly string[], functions: readonly SchemaStatement[]): string[] {
  const called = functions.filter(({ name }) =>
    statements.some((text) => new RegExp(`(?<!function )\\b${name}\\(`).test(text)),
  );
  if (called.length === 0) return [];
  const texts = called.map(({ text }) => text);
  return [
    ...neededBy(
      texts,
      functions.filter((one) => !called.includes(one)),
    ),
    ...texts,
  ];
}
