import type pg from "pg";
import { sqlStateOf } from "../unavailable.ts";
import { errorWithSourceLine } from "./error-with-source-line.ts";
import type { SchemaStatement } from "./function-texts.ts";

/** Ways to make a change, least invasive first. */
export type SchemaChange = {
  ways: string[][];
  /** The source of each way's last statement. */
  source?: SchemaStatement;
  /** A query whose first row `onDone` receives. */
  then?: string;
  /** Its first way locks no table. Such changes share a message. */
  isLockFree?: boolean;
};

type Row = Record<string, unknown>;
type Run = (statements: string) => Promise<unknown>;

/**
 * Makes all changes in the open transaction, and returns an order that works. Does not check function bodies.
 */
export async function applyInAnyOrder<One extends SchemaChange>(
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
    for (const group of groupsOf(waiting))
      for (const { change, ...result } of await tryGroup(client, group, run)) {
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
type TriedChange<One> = Tried & { change: One };

/** One round trip per function is slow. If a group fails, its halves are tried. */
const LARGEST_GROUP = 64;

/** Consecutive changes that lock no table share a group. */
function groupsOf<One extends SchemaChange>(changes: readonly One[]): One[][] {
  const groups: One[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (change.isLockFree && group?.[0]?.isLockFree && group.length < LARGEST_GROUP) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

async function tryGroup<One extends SchemaChange>(
  client: pg.Client,
  group: readonly One[],
  run: Run,
): Promise<TriedChange<One>[]> {
  const [change] = group;
  if (!change) return [];
  if (group.length === 1) return [{ change, ...(await tryWays(client, change, run)) }];
  const all = group.map((one) => ({ change: one, statements: one.ways[0] ?? [] }));
  const steps = all.map(({ change: { then }, statements }) => stepsOf(statements, then));
  try {
    const results = (await run(["savepoint before_group", ...steps.flat()].join(";\n"))) as { rows: Row[] }[];
    let last = 0;
    return all.map(({ change: one, statements }, at) => {
      last += steps[at]?.length ?? 0;
      return { change: one, statements, row: one.then ? results[last]?.rows[0] : undefined };
    });
  } catch {
    await client.query("rollback to savepoint before_group");
    const middle = Math.ceil(group.length / 2);
    const first = await tryGroup(client, group.slice(0, middle), run);
    return [...first, ...(await tryGroup(client, group.slice(middle), run))];
  }
}

const begin = "savepoint before_change";

const stepsOf = (statements: readonly string[], then?: string): string[] => [
  begin,
  ...statements,
  "release savepoint before_change",
  ...(then ? [then] : []),
];

/** Another order or way may help: a dependency is missing, or an object depends on this. */
const isMendable = (error: unknown) => /^(42(?!601)|2BP01|0A000)/.test(sqlStateOf(error) ?? "");

async function tryWays(client: pg.Client, { ways, source, then }: SchemaChange, run: Run): Promise<Tried> {
  let first: unknown;
  for (const statements of ways) {
    const before = [begin, ...statements.slice(0, -1), ""].join(";\n").length;
    try {
      const results = (await run(stepsOf(statements, then).join(";\n"))) as { rows: Row[] }[];
      return { statements, row: then ? results.at(-1)?.rows[0] : undefined };
    } catch (cause) {
      const error = errorWithSourceLine(cause, source ?? statements.join("\n"), before);
      if (!isMendable(cause)) throw error;
      first ??= error;
      await client.query("rollback to savepoint before_change");
    }
  }
  return { error: first };
}
