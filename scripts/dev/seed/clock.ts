import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../../../lib/platform/db/client.ts";
import { rowsOf } from "../../../lib/platform/db/query/rows.ts";

export type SetClock = (moment: Date) => Promise<void>;

/** Runs work in a transaction whose database clock can be set, so that rows have the times of past events. */
export async function withClock(db: Db, work: (tx: Db, setClock: SetClock) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    const [before] = await rowsOf(
      tx,
      z.object({ clock_offset: z.string() }),
      sql`select coalesce(current_setting('service.clock_offset', true), '') as clock_offset`,
    );
    await work(tx, async (moment) => {
      await tx.execute(sql`
        select set_config('service.clock_offset', (${moment.toISOString()}::timestamptz - now())::text, true)`);
    });
    await tx.execute(sql`select set_config('service.clock_offset', ${before?.clock_offset ?? ""}, true)`);
  });
}

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * 86_400_000);

export const minutesAfter = (moment: Date, minutes: number): Date =>
  new Date(moment.getTime() + minutes * 60_000);
