import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { advisoryLock, locksIn } from "./locks.ts";

export type Verb = "insert" | "update" | "delete";

/** A database function with the writes, locks and calls of its text, and its file. */
export type DatabaseFunction = {
  name: string;
  file: string;
  /** Per table, as `insert enrollments`. */
  writes: readonly string[];
  /** Locks before writes, as `users for share` or `an advisory lock`, in order. */
  locks: readonly string[];
  calls: readonly string[];
};

/** `columns` restrict an update trigger. */
export type Trigger = {
  name: string;
  table: string;
  verbs: readonly Verb[];
  moment: "before" | "after";
  columns: readonly string[];
  condition: string | null;
  calls: string;
};

/** Effects of deleting a table's row, by foreign keys. */
export type Cascade = { table: string; deletes: readonly string[]; nulls: readonly string[] };

export type Writes = {
  functions: ReadonlyMap<string, DatabaseFunction>;
  triggers: readonly Trigger[];
  cascades: readonly Cascade[];
  /** The documented lock order of each file of functions. */
  lockOrders: ReadonlyMap<string, string>;
};

const folder = path.resolve(import.meta.dirname, "../../../schema/functions");

/** Reads triggers and functions from a migrated database, and their headers from schema/functions. */
export async function readWrites(client: pg.Client): Promise<Writes> {
  const files = new Map<string, string>();
  const sqlFiles = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sql"));
  for (const file of sqlFiles.toSorted()) files.set(file, await readFile(path.join(folder, file), "utf8"));
  const tables = new Set((await client.query<{ name: string }>(tablesOf)).rows.map(({ name }) => name));
  const { rows: sources } = await client.query<{ name: string; source: string }>(functionsOf);
  const names = new Set(sources.map(({ name }) => name));
  const functions = new Map<string, DatabaseFunction>();
  for (const { name, source } of sources) {
    const text = bare(source);
    functions.set(name, {
      name,
      file: [...files].find(([, whole]) => new RegExp(`function ${name}\\(`, "i").test(whole))?.[0] ?? "",
      writes: writesIn(text).filter((write) => tables.has(write.split(" ")[1] ?? "")),
      locks: locksIn(text).filter((lock) => lock === advisoryLock || tables.has(lock.split(" ")[0] ?? "")),
      calls: callsIn(text).filter((called) => names.has(called) && called !== name),
    });
  }
  const { rows: triggers } = await client.query<Trigger>(triggersOf);
  const { rows: cascades } = await client.query<Cascade>(cascadesOf);
  const lockOrders = new Map([...files].map(([file, whole]) => [file, lockOrderIn(whole)]));
  return { functions, triggers, cascades, lockOrders };
}

const tablesOf = `
  select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`;

/** Texts of overloaded functions are joined. */
const functionsOf = `
  select proname as name, string_agg(prosrc, ';') as source from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  group by proname order by proname collate "C"`;

/**
 * Bits of tgtype: 2 is before; 4, 8 and 16 are insert, delete and update. Partitions share their parent's
 * triggers.
 */
const triggersOf = `
  select tgname as name, relname as table,
         array_remove(array[case when tgtype & 4 > 0 then 'insert' end, case when tgtype & 16 > 0 then 'update' end,
                            case when tgtype & 8 > 0 then 'delete' end], null) as verbs,
         case when tgtype & 2 > 0 then 'before' else 'after' end as moment,
         array(select attname::text from pg_attribute where attrelid = tgrelid and attnum = any(tgattr) order by attnum)
           as columns,
         substring(pg_get_triggerdef(pg_trigger.oid, true) from 'WHEN \\((.*)\\) EXECUTE') as condition,
         proname as calls
  from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
  where not tgisinternal and tgparentid = 0 and relnamespace = 'public'::regnamespace
  order by relname collate "C", tgname collate "C"`;

const cascadesOf = `
  select confrelid::regclass::text as table,
         coalesce(array_agg(distinct conrelid::regclass::text) filter (where confdeltype = 'c'), '{}') as deletes,
         coalesce(array_agg(distinct conrelid::regclass::text) filter (where confdeltype = 'n'), '{}') as nulls
  from pg_constraint
  where contype = 'f' and confdeltype in ('c', 'n') and conparentid = 0
    and connamespace = 'public'::regnamespace
  group by confrelid order by confrelid::regclass::text collate "C"`;

/** A function's text without comments, with empty strings. */
export const bare = (source: string): string =>
  source.replaceAll(/--[^\n]*/g, "").replaceAll(/'(?:[^']|'')*'/g, "''");

export function writesIn(text: string): string[] {
  const found = [
    ...[...text.matchAll(/\binsert\s+into\s+(\w+)/gi)].map(([, table]) => `insert ${table}`),
    ...[...text.matchAll(/\bupdate\s+(?:only\s+)?(\w+)(?:\s+(?:as\s+)?\w+)?\s+set\b/gi)].map(
      ([, table]) => `update ${table}`,
    ),
    ...[...text.matchAll(/\bdelete\s+from\s+(?:only\s+)?(\w+)/gi)].map(([, table]) => `delete ${table}`),
    // `on conflict do update` also updates.
    ...[...text.matchAll(/\binsert\s+into\s+(\w+)(?:(?!\binsert\s+into\b)[^;])*?\bdo\s+update\b/gi)].map(
      ([, table]) => `update ${table}`,
    ),
  ];
  return [...new Set(found.map((write) => write.toLowerCase()))].toSorted();
}

export const callsIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\b([a-z_]\w*)\s*\(/g)].map(([, name]) => name as string))].toSorted();

/** The paragraph after `Locks:` in a file's first comment. */
function lockOrderIn(file: string): string {
  const comment = file.split("\n\n")[0] ?? "";
  const lines = comment.split("\n").map((line) => line.replace(/^--\s?/, ""));
  const from = lines.findIndex((line) => line.startsWith("Locks:"));
  if (from < 0) return "";
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => line.trim() === "");
  return rest
    .slice(0, end < 0 ? undefined : end)
    .join(" ")
    .replace("Locks:", "")
    .trim();
}
