import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type AdaptiveStepSize, createAdaptiveStepSize } from "../../platform/db/query/step-size.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";
import { claimRetentionArchive, releaseExpiredArchives, writeArchive } from "./archive.ts";
import { retentionTables, rowsDueForDeletionCtes } from "./retention-tables.ts";
import type { RetentionTable, ScanPositionAndLimits } from "./table-walks.ts";

/*
 * Applies retention policies, one university after the other, weekly. A step reads rows, archives them, and
 * deletes them in a transaction that records progress. A crash loses nothing; of two concurrent runs one
 * detects the other's progress and stops.
 */

type Parts = Pick<Deps, "db" | "fileStore" | "now" | "metrics">;

const rowsAtOnce = 1000;
const containersAtOnce = 20;

const lastRow = Number.MAX_SAFE_INTEGER;

/** Deleted rows by kind, and expired archives. */
export type RetentionRunCounts = { forgotten: Record<string, number>; ended_archives: number };

/**
 * Works until nothing is due or `signal` aborts. A failure in one university does not stop others; rejects at
 * the end with the first error.
 */
export async function runRetentionPolicies(parts: Parts, signal: AbortSignal): Promise<RetentionRunCounts> {
  const forgotten: Record<string, number> = {};
  let fault: unknown;
  for (let run = await nextRun(parts, 0); run && !signal.aborted; run = await nextRun(parts, run.id))
    await workRun(parts, run, forgotten, signal).catch((error: unknown) => {
      fault ??= error;
    });
  const ended_archives = await releaseExpiredArchives(parts, signal);
  if (fault) throw fault;
  return { forgotten, ended_archives };
}

const Run = z.object({
  id: z.int(),
  university_id: z.int(),
  part: z.string(),
  reached_container: z.int(),
  reached_row: z.int(),
});

type Run = z.output<typeof Run>;

/** After an id: an unfinished run, or a university whose week is over and that has something to delete. */
async function nextRun({ db, now }: Parts, behind: number): Promise<Run | undefined> {
  const moment = now().toISOString();
  const [run] = await rowsOf(
    db,
    Run,
    sql`
      with due as (
        select university_id from retention_policies as policy
        where not exists (select from retention_runs as open where open.university_id = policy.university_id
            and (open.ended_at is null or open.begun_at > ${moment}::timestamptz - interval '7 days'))
          and exists (select from retention_periods as period where period.university_id = policy.university_id
            and ${retentionCutoffSql(sql`period.kind`, moment)} is not null)
      ), begun as (
        insert into retention_runs (university_id, begun_at, part)
        select university_id, ${moment}, ${retentionTables[0]?.name ?? ""} from due
        on conflict do nothing returning *
      )
      select id, university_id, part, reached_container, reached_row from (
        select * from begun union all select * from retention_runs where ended_at is null
      ) as run where id > ${behind} order by id limit 1`,
  );
  return run;
}

async function workRun(
  all: Parts,
  run: Run,
  forgotten: Record<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const size = createAdaptiveStepSize(rowsAtOnce);
  let at: Run | undefined = run;
  while (at && !signal.aborted) {
    const part = retentionTables.find(({ name }) => name === at?.part);
    if (!part) return endRun(all, at);
    const done = await step(all, at, part, size);
    if (!done) return;
    if (done.count > 0) {
      forgotten[part.kind] = (forgotten[part.kind] ?? 0) + done.count;
      all.metrics.rowsForgotten(part.kind, done.count);
    }
    at = done.next;
  }
}

/** The number of deleted rows and where to continue; undefined if another process is ahead. */
async function step(
  all: Parts,
  run: Run,
  part: RetentionTable,
  size: AdaptiveStepSize,
): Promise<{ count: number; next: Run | undefined } | undefined> {
  const moment = all.now().toISOString();
  const begun = performance.now();
  const found = await look(all.db, { run, part, moment, most: size.rows() });
  const looked = performance.now();
  const next = nextOf(run, part, found);
  const lines = found.archived ? found.due.map(({ line }) => line) : [];
  size.took(looked - begun);
  let archive = await writeArchive(all, run.university_id, lines);
  let left = found.due.map(({ id }) => id);
  const taking = performance.now();
  let count = 0;
  const takeSome = async (tx: Db, rows: number) => {
    const ids = left.slice(0, rows);
    const isLast = ids.length === left.length;
    const gone = await forget(tx, { run, part, moment, ids });
    if (!(await reach(tx, { run, part, gone, next: isLast ? next : run, moment }))) throw new Elsewhere();
    if (archive) await claimRetentionArchive(tx, archive, { run, kind: part.kind, moment });
    archive = undefined;
    count += gone;
    left = left.slice(rows);
    return !isLast;
  };
  try {
    await doInSteps(all.db, { rows: Math.max(1, left.length) }, takeSome);
  } catch (error) {
    if (error instanceof Elsewhere) return undefined;
    throw error;
  }
  size.took(performance.now() - taking);
  return { count, next: next.part === "" ? undefined : next };
}

/** Another process has advanced the run, or the university is gone. */
class Elsewhere extends Error {}

/** The part exists only in another version. The next run starts over. */
async function endRun({ db, now }: Parts, { id }: Run): Promise<void> {
  await db.execute(
    sql`update retention_runs set ended_at = ${now().toISOString()} where id = ${id} and ended_at is null`,
  );
}

const Found = z.object({
  due: z.array(z.object({ id: z.int(), line: z.string() })),
  seen: z.int(),
  container: z.int().nullable(),
  row: z.int().nullable(),
  containers: z.int(),
  last_container: z.int().nullable(),
});

type Found = z.output<typeof Found> & { rows: number; archived: boolean };

const Setting = z.object({ before: z.string().nullable(), archive_days: z.int() });

/** The date before which a `policy` deletes: 30 days after it was set and counted. Otherwise null. */
export const retentionCutoffSql = (kind: SQL, moment: string): SQL => sql`(
  select ${moment}::timestamptz - make_interval(days => days) from retention_periods
  where university_id = policy.university_id and kind = ${kind} and counted_at is not null
    and set_at <= ${moment}::timestamptz - interval '30 days')`;

/** For a kind in a university, or null. `held` adds a lock. */
async function settingOf(
  db: Db,
  { university_id }: Run,
  { kind }: RetentionTable,
  moment: string,
  held = sql``,
) {
  const [setting] = await rowsOf(
    db,
    Setting,
    sql`select ${retentionCutoffSql(sql`${kind}`, moment)}::text as before, archive_days
        from retention_policies as policy where university_id = ${university_id} ${held}`,
  );
  return setting;
}

type Looking = { run: Run; part: RetentionTable; moment: string; most: number };

async function look(db: Db, { run, part, moment, most }: Looking): Promise<Found> {
  const { university_id, reached_container: container, reached_row: row } = run;
  let found: Found | undefined;
  const setting = await settingOf(db, run, part, moment);
  const before = sql`${setting?.before ?? null}::timestamptz`;
  if (setting?.before)
    await doInSteps(db, { rows: most }, async (tx, rows) => {
      const looked: ScanPositionAndLimits = { container, row, rows, containers: containersAtOnce };
      const containers = part.containers
        ? sql`select count(*)::int as containers, max(id)::float8 as last_container
              from (${part.containers(university_id, before, looked)}) as one`
        : sql`select 0 as containers, null::float8 as last_container`;
      const [read] = await rowsOf(
        tx,
        Found,
        sql`
          with ${rowsDueForDeletionCtes(part, university_id, before, moment, looked)},
          last as (select container, row_id from seen order by container desc, row_id desc limit 1),
          walked as (${containers})
          select coalesce((select json_agg(json_build_object('id', row_id, 'line', json_build_object(
              'kind', ${part.name}::text, 'id', row_id, 'user_id', nullif(person, 0),
              'course_offering_id', nullif(offering, 0), 'course_id', nullif(course, 0), 'at', moment, 'facts', facts
            )::text) order by container, row_id) from due), '[]') as due,
            (select count(*)::int from seen) as seen, (select container::float8 from last) as container,
            (select row_id::float8 from last) as row, walked.* from walked`,
      );
      found = read && { ...read, rows, archived: setting.archive_days > 0 };
      return false;
    });
  const none = { due: [], seen: 0, container: null, row: null, containers: 0, last_container: null };
  return found ?? { ...none, rows: most, archived: false };
}

/** The position of a run after these rows. Without a part it is complete. */
function nextOf(run: Run, part: RetentionTable, { seen, rows, container, row, ...walked }: Found): Run {
  if (container !== null && row !== null && seen >= rows)
    return { ...run, reached_container: container, reached_row: row };
  if (walked.last_container !== null && walked.containers >= containersAtOnce)
    return { ...run, reached_container: walked.last_container, reached_row: lastRow };
  const following = retentionTables[retentionTables.indexOf(part) + 1];
  return { ...run, part: following?.name ?? "", reached_container: 0, reached_row: 0 };
}

const Id = z.object({ id: z.int() });

type Step = { run: Run; part: RetentionTable; moment: string; ids: readonly number[] };

/**
 * Deletes the rows that are still due, under the university's row lock: concurrent holds and policy changes
 * count. Returns their number.
 */
async function forget(tx: Db, { run, part, moment, ids }: Step): Promise<number> {
  const setting = await settingOf(tx, run, part, moment, sql`for no key update`);
  if (ids.length === 0 || !setting?.before) return 0;
  const before = sql`${setting.before}::timestamptz`;
  const table = sql.identifier(part.table);
  const free = part.isLog
    ? ids
    : idsOf(
        await rowsOf(
          tx,
          Id,
          sql`select id::float8 as id from ${table} where id = any (${sql.param(ids)}::bigint[]) order by id for update skip locked`,
        ),
      );
  const due = idsOf(
    await rowsOf(
      tx,
      Id,
      sql`with ${rowsDueForDeletionCtes(part, run.university_id, before, moment, { ids: free })} select row_id::float8 as id from due`,
    ),
  );
  if (due.length === 0) return 0;
  const given = sql`${sql.param(due)}::bigint[]`;
  for (const statement of part.forget(given, run.university_id, before)) await tx.execute(statement);
  return due.length;
}

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

type Reached = { run: Run; part: RetentionTable; gone: number; next: Run; moment: string };

/** False if another process is ahead. */
async function reach(tx: Db, { run, part, gone, next, moment }: Reached): Promise<boolean> {
  const counted = sql`case when ${gone}::int = 0 then forgotten else forgotten || jsonb_build_object(
    ${part.kind}::text, coalesce((forgotten ->> ${part.kind})::bigint, 0) + ${gone}::int) end`;
  const { rows } = await tx.execute(sql`
    with reached as (
      update retention_runs
      set forgotten = ${counted}, part = ${next.part}, reached_container = ${next.reached_container},
          reached_row = ${next.reached_row},
          ended_at = ${next.part === "" ? sql`${moment}::timestamptz` : sql`null`}
      where id = ${run.id} and ended_at is null and part = ${run.part}
        and reached_container = ${run.reached_container} and reached_row = ${run.reached_row}
      returning *
    ), audited as (${insertAuditEventsQuery(
      {
        action: "retention.forgotten",
        actor: null,
        university: sql`ended.university_id`,
        details: sql`jsonb_build_object('run_id', ended.id, 'forgotten', ended.forgotten)`,
      },
      sql`(select * from reached where ended_at is not null and forgotten <> '{}') as ended`,
    )})
    select id from reached`);
  return rows.length > 0;
}
