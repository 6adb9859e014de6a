import type pg from "pg";
import { sqlStateOf } from "../unavailable.ts";
import { errorOf } from "./error-of.ts";
import type { Statement } from "./function-texts.ts";

/** A change and the ways to make it, least invasive first. Each way is a list of statements. */
export type Change = {
  ways: string[][];
  /** The source of each way's last statement. */
  source?: Statement;
  /** A query whose first row `onDone` receives. */
  then?: string;
};

type Row = Record<string, unknown>;
type Run = (statements: string) => Promise<unknown>;

/**
 * Makes all changes in the open transaction, in an order that works, and returns it: for example a view
 * before the function that returns its rows. Function bodies are not checked: see `checkBodies`.
 */
export async function applyInAnyOrder<One extends Change>(
  client: pg.Client,
  changes: readonly One[],
  onDone: (change: One, row: Row | undefined) => void = () => {},
  run: Run = (statements) => client.query(statements),
): Promise<string[]> {
  await client.query("set local check_function_bodies = off");
  const done: string[] = [];
  let waiting = changes;
  while (waiting.length > 0) {
    const failed: { change: One; error: unknown }[] = [];
    for (const change of waiting) {
      const result = await tryWays(client, change, run);
      if ("error" in result) failed.push({ change, error: result.error });
      else {
        done.push(...result.statements);
        onDone(change, result.row);
      }
    }
    const [first] = failed;
    if (first && failed.length === waiting.length) throw first.error;
    waiting = failed.map(({ change }) => change);
  }
  return done;
}

type Tried = { statements: string[]; row: Row | undefined } | { error: unknown };

const begin = "savepoint before_change";

/** Another order or way may help: a dependency is missing, or another object depends on this one. */
const isMendable = (error: unknown) => /^(42(?!601)|2BP01|0A000)/.test(sqlStateOf(error) ?? "");

async function tryWays(client: pg.Client, { ways, source, then }: Change, run: Run): Promise<Tried> {
  let first: unknown;
  for (const statements of ways) {
    const steps = [begin, ...statements, "release savepoint before_change", ...(then ? [then] : [])];
    const before = [begin, ...statements.slice(0, -1), ""].join(";\n").length;
    try {
      const results = (await run(steps.join(";\n"))) as { rows: Row[] }[];
      return { statements, row: then ? results.at(-1)?.rows[0] : undefined };
    } catch (cause) {
      const error = errorOf(cause, source ?? statements.join("\n"), before);
      if (!isMendable(cause)) throw error;
      first ??= error;
      await client.query("rollback to savepoint before_change");
    }
  }
  return { error: first };
}
