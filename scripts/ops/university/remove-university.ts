import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";
import { changeInSteps, doInSteps } from "../../../lib/platform/db/query/steps.ts";
import type { OnProgress } from "../progress-bar.ts";
import { removedWhere } from "./conditions.ts";
import type { Leaving } from "./leaving.ts";
import { type Ownership, ownerships } from "./ownership.ts";

/** A removal's effects: deleted rows by table, remaining people, and erased accounts. */
export type Removal = { rows: Record<string, number>; people: number; erased: number };

const deleted = ownerships.filter(({ removal = "deleted" }) => removal === "deleted");

/** Ids per step, and people in the first step. */
const idsAtOnce = 5000;
const peopleAtOnce = 20;

const Count = z.object({ count: z.int() });
const Bounds = z.object({ least: z.int(), greatest: z.int() });

/** Counts a removal's effects without changing anything. */
export async function previewRemoval(db: Db, { id }: Leaving): Promise<Removal> {
  const rows: Record<string, number> = {};
  for (const one of deleted) {
    const count = await countOf(
      db,
      sql.raw(`select count(*)::int as count from ${one.table} where ${removedWhere(one, id)}`),
    );
    if (count > 0) rows[one.table] = count;
  }
  const people = await countOf(
    db,
    sql`select count(*)::int as count from university_members where university_id = ${id}`,
  );
  const erased = await countOf(
    db,
    sql`select count(*)::int as count from university_members as member
        where university_id = ${id} and ${belongsNowhereElse(id)}`,
  );
  return { rows, people, erased };
}

/**
 * Removes an inactive university in steps: its rows, then its memberships, and the accounts of people without
 * another membership, like an erasure. An interrupted removal resumes. Rejects while a platform administrator
 * has their role there.
 */
export async function removeUniversity(
  db: Db,
  university: Leaving,
  { onProgress = () => {}, signal }: { onProgress?: OnProgress; signal?: AbortSignal } = {},
): Promise<{ people: number; erased: number }> {
  await refusePlatform(db, university.id);
  const steps = deleted.toReversed();
  const all = steps.length + 3;
  for (const { table, circular = [], ...one } of deleted)
    for (const column of circular) await emptyColumn(db, { table, ...one }, column, university.id, signal);
  for (const [number, ownership] of steps.entries()) {
    // The university's row is deleted last, after all memberships.
    if (ownership.table === "universities" || signal?.aborted) continue;
    onProgress(ownership.table, number, all);
    await deleteRows(db, ownership, university.id, signal);
  }
  onProgress("people", all - 3, all);
  await unnameCalls(db, university.id, signal);
  const people = await leaveUniversity(db, university.id, signal);
  if (signal?.aborted) throw new Error("Stopped. Run the same command to continue");
  await endUniversity(db, university, people);
  onProgress("done", all, all);
  return people;
}

async function refusePlatform(db: Db, id: number): Promise<void> {
  const count = await countOf(
    db,
    sql`select count(*)::int as count from user_university_roles
        where university_id = ${id} and role = 'platform_admin'`,
  );
  if (count > 0)
    throw new Error(
      `${count} administer the platform by a role at this university: grant them the role elsewhere, and revoke it here`,
    );
}

/** By id ranges if the table has ids, otherwise by batches of rows. */
async function deleteRows(db: Db, one: Ownership, university: number, signal?: AbortSignal): Promise<void> {
  const where = sql.raw(removedWhere(one, university));
  const table = sql.identifier(one.table);
  const bounds = await boundsOf(db, one.table);
  if (!bounds) {
    await changeInSteps(
      db,
      { rows: idsAtOnce, signal },
      (rows) => sql`delete from ${table} where ctid = any (array(
        select ctid from ${table} where ${where} limit ${rows})) returning 1`,
    );
    return;
  }
  await alongIds(db, bounds, signal, (tx, from, to) =>
    tx.execute(sql`delete from ${table} where id > ${from} and id <= ${to} and (${where})`),
  );
}

const emptyColumn = async (
  db: Db,
  one: Ownership,
  column: string,
  university: number,
  signal?: AbortSignal,
) => {
  const bounds = await boundsOf(db, one.table);
  if (!bounds) throw new Error(`${one.table} has no ids`);
  const named = sql.identifier(column);
  await alongIds(db, bounds, signal, (tx, from, to) =>
    tx.execute(sql`update ${sql.identifier(one.table)} set ${named} = null
      where id > ${from} and id <= ${to} and ${named} is not null and (${sql.raw(removedWhere(one, university))})`),
  );
};

/** Costs of calls stay with the platform that paid them, without names. */
async function unnameCalls(db: Db, university: number, signal?: AbortSignal): Promise<void> {
  await changeInSteps(
    db,
    { rows: idsAtOnce, signal },
    (rows) => sql`update llm_calls
      set university_id = null, course_id = null, content_item_id = null, user_id = null, message_id = null, warming_id = null
      where id = any (array(select id from llm_calls where university_id = ${university} limit ${rows})) returning 1`,
  );
  await changeInSteps(
    db,
    { rows: idsAtOnce, signal },
    (rows) => sql`update users set made_by_university_id = null
      where id = any (array(select id from users where made_by_university_id = ${university} limit ${rows})) returning 1`,
  );
}

type Bounds = z.output<typeof Bounds>;

async function boundsOf(db: Db, table: string): Promise<Bounds | undefined> {
  const [found] = await rowsOf(
    db,
    Count,
    sql`select count(*)::int as count from pg_attribute
        where attrelid = ${table}::regclass and attname = 'id' and attidentity <> ''`,
  );
  if (!found?.count) return undefined;
  const [bounds] = await rowsOf(
    db,
    Bounds,
    sql`select coalesce(min(id), 0) as least, coalesce(max(id), 0) as greatest from ${sql.identifier(table)}`,
  );
  return bounds;
}

async function alongIds(
  db: Db,
  { least, greatest }: Bounds,
  signal: AbortSignal | undefined,
  step: (tx: Db, from: number, to: number) => Promise<unknown>,
): Promise<void> {
  let at = least - 1;
  await doInSteps(db, { rows: idsAtOnce, signal }, async (tx, rows) => {
    await step(tx, at, at + rows);
    at += rows;
    return at < greatest;
  });
}

/** True if a row `member` has no other membership, enrollment or teaching elsewhere. */
const belongsNowhereElse = (id: number) => sql`
  not exists (select from university_members as other
    where other.user_id = member.user_id and other.university_id <> ${id})
  and not exists (select from enrollments as other
    where other.user_id = member.user_id and other.university_id <> ${id})
  and not exists (select from user_university_roles as other
    where other.user_id = member.user_id and other.university_id <> ${id})`;

const Member = z.object({ user_id: z.int(), is_last: z.boolean() });
const Done = z.object({ done: z.boolean() });

/** Ends memberships in batches, and erases accounts of people without another one. */
async function leaveUniversity(
  db: Db,
  id: number,
  signal?: AbortSignal,
): Promise<{ people: number; erased: number }> {
  const sum = { people: 0, erased: 0 };
  await doInSteps(db, { rows: peopleAtOnce, signal }, async (tx, rows) => {
    const members = await rowsOf(
      tx,
      Member,
      sql`select user_id, ${belongsNowhereElse(id)} as is_last from university_members as member
          where university_id = ${id} order by user_id limit ${rows}`,
    );
    const people = sql.param(members.map(({ user_id }) => user_id));
    await tx.execute(
      sql`delete from university_members where university_id = ${id} and user_id = any (${people})`,
    );
    const last = members.filter(({ is_last }) => is_last).map(({ user_id }) => user_id);
    const erased = last.length > 0 ? await eraseAccounts(tx, last) : 0;
    sum.people += members.length;
    sum.erased += erased;
    return members.length > 0;
  });
  return sum;
}

/** Erases accounts like their owners would, including inactive ones. Returns their number. */
async function eraseAccounts(tx: Db, people: readonly number[]): Promise<number> {
  const ids = sql.param(people);
  await tx.execute(
    sql`update users set is_active = true where id = any (${ids}) and not is_active and erased_at is null`,
  );
  const done = await rowsOf(
    tx,
    Done,
    sql`select erase_account(id, token_version, false, jsonb_build_object('at', service_now())) as done
        from users where id = any (${ids}) and erased_at is null order by id`,
  );
  return done.filter((one) => one.done).length;
}

/** Deletes the university's row and leftovers of an unfinished import; audited. */
async function endUniversity(
  db: Db,
  { id, name, short_code }: Leaving,
  { people, erased }: { people: number; erased: number },
): Promise<void> {
  const details = JSON.stringify({ name, short_code, people, erased });
  await db.transaction(async (tx) => {
    await tx.execute(sql`delete from universities where id = ${id}`);
    // Monthly totals are recounted, because days were removed.
    await tx.execute(sql`delete from counted_months`);
    await tx.execute(sql`delete from counted_facts`);
    await tx.execute(
      sql`delete from tree_totals as total where not exists (select from courses where id = total.course_id)`,
    );
    await tx.execute(
      sql`select audit('university.removed', null, null, ${id}, ${details}::jsonb, jsonb_build_object('at', service_now()))`,
    );
    await tx.execute(sql`do $$ begin
      if to_regclass('incoming_university.ranges') is not null then
        if exists (select from incoming_university.ranges
          where name = 'universities' and ${sql.raw(String(id))} between least + shift and greatest + shift) then
          drop schema incoming_university cascade;
        end if;
      end if;
    end $$`);
  });
}

async function countOf(db: Db, statement: ReturnType<typeof sql>): Promise<number> {
  const [row] = await rowsOf(db, Count, statement);
  return row?.count ?? 0;
}
