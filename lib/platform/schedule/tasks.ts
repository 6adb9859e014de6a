/*
 * Leases for work of one process at a time. They use the database's clock, which all processes share, and no
 * session locks, which a pooler would pass to others.
 */
import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";

const Row = z.object({ name: z.string() });

/** Takes or renews a lease for `seconds`; false while another holder has it. Atomic. */
export async function takeOrRenewTaskLease(
  db: Db,
  name: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const held = await rowsOf(
    db,
    Row,
    sql`
    insert into scheduled_tasks as task (name, holder, held_until, begun_at)
    values (${name}, ${holder}, now() + make_interval(secs => ${seconds}), now())
    on conflict (name) do update
      set holder = excluded.holder, held_until = excluded.held_until,
          begun_at = case when task.holder = excluded.holder then task.begun_at else now() end
      where task.holder = excluded.holder or task.holder is null or task.held_until < now()
    returning name`,
  );
  return held.length > 0;
}

export async function releaseTaskLease(db: Db, name: string, holder: string): Promise<void> {
  await db.execute(sql`
    update scheduled_tasks set holder = null, held_until = null where name = ${name} and holder = ${holder}`);
}

/** False if the task started after `since`. Atomic: only one concurrent caller receives true. */
export async function beginTaskUnlessBegunSince(db: Db, name: string, since: Date): Promise<boolean> {
  const begun = await rowsOf(
    db,
    Row,
    sql`
    insert into scheduled_tasks as task (name, begun_at) values (${name}, now())
    on conflict (name) do update set begun_at = excluded.begun_at where task.begun_at < ${since.toISOString()}
    returning name`,
  );
  return begun.length > 0;
}
