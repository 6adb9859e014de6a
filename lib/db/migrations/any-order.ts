import type pg from "pg";

/** One change of a database, and the ways to make it, the gentlest first: each is a list of statements. */
export type Change = { ways: string[][] };

/**
 * Makes all changes inside the open transaction, in whatever order they work: a view before the function that answers
 * its rows, a function before the generated column that calls it. Answers the statements in the order that worked.
 * The bodies of functions are not looked into before `checkBodies`. `onDone` is told of each change once it is made.
 */
export async function applyInAnyOrder<One extends Change>(
  client: pg.Client,
  changes: One[],
  onDone: (change: One) => Promise<void> = async () => {},
): Promise<string[]> {
  await client.query("set local check_function_bodies = off");
  const done: string[] = [];
  let waiting = changes;
  while (waiting.length > 0) {
    const failed: { change: One; error: unknown }[] = [];
    for (const change of waiting) {
      const result = await tryWays(client, change);
      if ("error" in result) failed.push({ change, error: result.error });
      else {
        done.push(...result.statements);
        await onDone(change);
      }
    }
    if (failed.length === waiting.length) throw explain(failed[0]);
    waiting = failed.map(({ change }) => change);
  }
  return done;
}

type Tried = { statements: string[] } | { error: unknown };

async function tryWays(client: pg.Client, { ways }: Change): Promise<Tried> {
  let error: unknown;
  for (const statements of ways) {
    const steps = ["savepoint before_change", ...statements, "release savepoint before_change"];
    try {
      await client.query(steps.join(";\n"));
      return { statements };
    } catch (cause) {
      error ??= cause;
      await client.query("rollback to savepoint before_change");
    }
  }
  return { error };
}

function explain(failed: { change: Change; error: unknown } | undefined): Error {
  const statement = failed?.change.ways[0]?.join("\n") ?? "";
  const reason = failed?.error instanceof Error ? failed.error.message : String(failed?.error);
  return new Error(`${reason}, in\n${statement}`, { cause: failed?.error });
}

/** Looks into the body of every function, as PostgreSQL does when it makes one, and names the first that is wrong. */
export async function checkBodies(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; check: string }>(
    `select p.oid::regprocedure::text as name, format('select %s(%s)', l.lanvalidator::regproc, p.oid) as check
     from pg_proc as p join pg_language as l on l.oid = p.prolang where p.pronamespace = 'public'::regnamespace`,
  );
  await client.query("set local check_function_bodies = on");
  for (const { name, check } of rows)
    await client.query(check).catch((cause) => {
      throw new Error(`function ${name}: ${cause.message}`, { cause });
    });
}
