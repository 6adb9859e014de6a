import type pg from "pg";
import type { Retired } from "../../../../schema/functions/retired.ts";
import { applyInAnyOrder, type SchemaChange } from "./any-order.ts";
import { checkFunctionBodies } from "./check-bodies.ts";
import { hashStatementText, type SchemaStatement } from "./function-texts.ts";
import { retiredObjectsToDrop } from "./retirement.ts";

/*
 * Functions, views and triggers are applied, not migrated. `drizzle.applied_functions` records each text's
 * hash and PostgreSQL's definition. A change of either, or a missing object, applies the text again. All is
 * one transaction under the migration lock; a lock timeout restarts it (migrate.ts). Unchanged triggers and
 * views are not touched: that locks tables.
 */

export type FunctionTexts = {
  texts: readonly SchemaStatement[];
  retired: readonly Retired[];
  version: string;
};

export type AppliedFunctions = {
  /** Applied texts and dropped retired objects. */
  changes: number;
  /** Objects of earlier texts that neither a text nor retired.ts names now. They stay. */
  unlisted: string[];
};

type Run = (statements: string) => Promise<unknown>;

/** `run` executes statements that may wait for a lock. */
export async function applyFunctions(
  client: pg.Client,
  functions: FunctionTexts,
  run?: Run,
): Promise<AppliedFunctions> {
  const { texts, retired, version } = functions;
  refuseTwins(texts);
  await client.query(table);
  const made = new Map<string, SchemaStatement>();
  for (let stale = await staleOf(client, texts); stale.length > 0; ) {
    await record(client, await applyTexts(client, stale, made, run));
    // Dropping a view also drops functions that depend on it.
    const fallen = await fallenOf(client, texts);
    const again = fallen.find((text) => stale.includes(text));
    if (again) throw new Error(`${placeOf(again)}: ${again.makes} ${again.name} is changed by a later text`);
    stale = fallen;
  }
  const dropped = await dropRetired(client, retiredObjectsToDrop(retired, version), run);
  if (made.size > 0) await checkFunctionBodies(client, made);
  return { changes: made.size + dropped, unlisted: await unlistedOf(client, functions) };
}

async function applyTexts(
  client: pg.Client,
  texts: readonly SchemaStatement[],
  made: Map<string, SchemaStatement>,
  run?: Run,
): Promise<Map<string, SchemaStatement>> {
  const objects = await objectsIn(client);
  const applied = new Map<string, SchemaStatement>();
  await applyInAnyOrder(
    client,
    texts.toSorted((one, other) => order(one) - order(other)).map((text) => changeOf(text, objects)),
    ({ source }, row) => {
      const object = row ? String(row["object"]) : `${source.makes} ${source.name}`;
      const other = made.get(object);
      if (other && other !== source)
        throw new Error(`${placeOf(source)}: ${object} is in ${placeOf(other)} as well`);
      made.set(object, source);
      applied.set(object, source);
    },
    run,
  );
  return applied;
}

/** The second of two equal texts would never be applied. */
function refuseTwins(texts: readonly SchemaStatement[]): void {
  const known = new Map<string, SchemaStatement>();
  for (const text of texts) {
    const twin = known.get(hashStatementText(text));
    if (twin) throw new Error(`${placeOf(text)}: ${text.makes} ${text.name} is in ${placeOf(twin)} as well`);
    known.set(hashStatementText(text), text);
  }
}

const placeOf = ({ file, line }: SchemaStatement): string => `schema/functions/${file}:${line}`;

const table = `
  create schema if not exists drizzle;
  create table if not exists drizzle.applied_functions (
    object text primary key, file text not null, hash text not null, definition text not null
  )`;

/** Definitions of functions are slow: a query reads only those it needs. */
const definitions = `
  select format('function %s', oid::regprocedure) as object, md5(pg_get_functiondef(oid)) as definition
  from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all
  select format('view %s', relname), md5(concat(reloptions, pg_get_viewdef(oid)))
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
  union all
  select format('trigger %s on %s', tgname, relname), md5(concat(pg_get_triggerdef(t.oid), tgenabled))
  from pg_trigger as t join pg_class as c on c.oid = tgrelid
  where relnamespace = 'public'::regnamespace and not tgisinternal and tgparentid = 0`;

async function staleOf(client: pg.Client, texts: readonly SchemaStatement[]): Promise<SchemaStatement[]> {
  const { rows } = await client.query<{ hash: string }>(
    `select hash from drizzle.applied_functions join (${definitions}) as now using (object, definition)`,
  );
  return without(rows, texts);
}

async function fallenOf(client: pg.Client, texts: readonly SchemaStatement[]): Promise<SchemaStatement[]> {
  const { rows } = await client.query<{ hash: string }>(
    `select hash from drizzle.applied_functions join (${definitions}) as now using (object)`,
  );
  return without(rows, texts);
}

function without(rows: readonly { hash: string }[], texts: readonly SchemaStatement[]): SchemaStatement[] {
  const hashes = new Set(rows.map(({ hash }) => hash));
  return texts.filter((text) => !hashes.has(hashStatementText(text)));
}

/** Dependencies first: this order nearly always works. */
const order = ({ makes }: SchemaStatement): number => ["function", "view", "trigger"].indexOf(makes);

/**
 * Replaces the object. If PostgreSQL cannot, drops it first: a function with a new result type, or a view
 * with new columns and its dependents.
 */
function changeOf(
  source: SchemaStatement,
  functions: readonly string[],
): SchemaChange & { source: SchemaStatement } {
  const { text, makes, name } = source;
  const change = { source, ways: [[text]] };
  if (makes === "view") change.ways.push([`drop view ${name} cascade`, text]);
  if (makes !== "function") return change;
  const namesakes = functions.filter((object) => object.startsWith(`function ${name}(`));
  for (const object of namesakes) change.ways.push([`drop ${object}`, text]);
  const then = `select format('function %s', oid::regprocedure) as object from pg_proc
    where proname = '${name}' and pronamespace = 'public'::regnamespace order by age(xmin) limit 1`;
  return { ...change, then, isLockFree: true };
}

async function objectsIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ object: string }>(`select object from (${definitions}) as now`);
  return rows.map(({ object }) => object);
}

async function record(client: pg.Client, applied: ReadonlyMap<string, SchemaStatement>): Promise<void> {
  const rows = [...applied].map(([object, text]) => ({
    object,
    file: text.file,
    hash: hashStatementText(text),
  }));
  await client.query(
    `insert into drizzle.applied_functions (object, file, hash, definition)
     select object, file, hash, definition
     from json_to_recordset($1) as applied (object text, file text, hash text)
       join (select * from (${definitions}) as now where object = any($2)) as now using (object)
     on conflict (object) do update set file = excluded.file, hash = excluded.hash, definition = excluded.definition`,
    [JSON.stringify(rows), rows.map(({ object }) => object)],
  );
}

async function dropRetired(client: pg.Client, objects: readonly string[], run?: Run): Promise<number> {
  const there = new Set(objects.length > 0 ? await objectsIn(client) : []);
  const drops = objects
    .filter((object) => there.has(object))
    .map((object) => ({ ways: [[`drop ${object}`]] }));
  await applyInAnyOrder(client, drops, undefined, run);
  return drops.length;
}

async function unlistedOf(client: pg.Client, { texts, retired }: FunctionTexts): Promise<string[]> {
  await client.query(
    `delete from drizzle.applied_functions as applied
     where not exists (select from (${definitions}) as now where now.object = applied.object)`,
  );
  const { rows } = await client.query<{ object: string }>(
    "select object from drizzle.applied_functions where hash <> all ($1) and object <> all ($2) order by object",
    [texts.map(hashStatementText), retired.map(({ object }) => object)],
  );
  return rows.map(({ object }) => object);
}
