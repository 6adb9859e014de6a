import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type * as z from "zod";
import { CalendarState } from "../../../schema/api/courses/calendar.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";

/** Random secrets need no salt and no slow hash. */
export const hashCalendarSecret = (secret: string): string => fingerprint(secret);

/** The feed's secret, 256 bits, replaces the previous one. */
export async function createCalendarSecret(
  db: Db,
  actor: Actor,
  now: Date,
): Promise<{ secret: string; created_at: string }> {
  const secret = randomBytes(32).toString("base64url");
  const created_at = now.toISOString();
  await db.execute(sql`
    insert into calendar_addresses (user_id, token_hash, created_at)
    values (${actor.id}, ${hashCalendarSecret(secret)}, ${created_at})
    on conflict (user_id) do update set token_hash = excluded.token_hash, created_at = excluded.created_at`);
  return { secret, created_at };
}

/** Null if none was created. The address itself is not stored. */
export async function getCalendarSecretCreationTime(
  db: ReadDb,
  actor: Actor,
): Promise<z.output<typeof CalendarState>> {
  const [state] = await rowsOf(
    db,
    CalendarState,
    sql`select (select ${momentForm(sql`created_at`)} from calendar_addresses where user_id = ${actor.id}) as created_at`,
  );
  return state ?? { created_at: null };
}

export async function revokeCalendarSecret(db: Db, actor: Actor): Promise<void> {
  await db.execute(sql`delete from calendar_addresses where user_id = ${actor.id}`);
}
