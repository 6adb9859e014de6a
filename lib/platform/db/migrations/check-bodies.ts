import type pg from "pg";
import { errorWithSourceLine } from "./error-with-source-line.ts";
import type { SchemaStatement } from "./function-texts.ts";

/**
 * Checks function bodies, all or the given ones, as PostgreSQL does at creation. The error names the first
 * invalid one, with file and line if `sourceOf` has it.
 */
export async function checkFunctionBodies(
  client: pg.Client,
  sourceOf?: ReadonlyMap<string, SchemaStatement>,
): Promise<void> {
  const { rows } = await client.query<{ object: string; check: string }>(
    `select object, format('select %s(%s)', lanvalidator::regproc, p.oid) as check
     from (
       select oid, prolang, format('function %s', oid::regprocedure) as object
       from pg_proc where pronamespace = 'public'::regnamespace and prokind <> 'a'
     ) as p join pg_language as l on l.oid = prolang
     where $1::text[] is null or object = any($1)`,
    [sourceOf ? [...sourceOf.keys()] : null],
  );
  await client.query("set local check_function_bodies = on");
  // One message: a thousand round trips would take longer than the checks.
  const all = rows.map(({ check }) => check);
  await client.query("savepoint before_checks");
  try {
    await client.query(all.join(";"));
  } catch {
    await client.query("rollback to savepoint before_checks");
    for (const { object, check } of rows)
      await client.query(check).catch((cause) => {
        throw errorWithSourceLine(cause, sourceOf?.get(object) ?? object);
      });
  }
}
