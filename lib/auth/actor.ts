import { and, eq, not, or, sql } from "drizzle-orm";
import * as z from "zod";
import { users } from "../../schema/db/users.ts";
import type { Db } from "../db/client.ts";
import { valueAs } from "../db/rows.ts";
import { madeOnce } from "../made-once.ts";
import { HeldRole } from "../rbac/policy.ts";
import type { Bearer } from "../tokens.ts";

export const profileColumns = {
  id: users.id,
  email: users.email,
  full_name: users.full_name,
  email_verified_at: users.email_verified_at,
  is_active: users.is_active,
  locale: users.locale,
  time_zone: users.time_zone,
  current_streak_days: users.current_streak_days,
  last_activity_date: users.last_activity_date,
  created_at: users.created_at,
};

// Written out: in a selection from a single table Drizzle would leave the table's name off its column.
const heldRoles = valueAs(z.array(HeldRole))`coalesce((
  select json_agg(json_build_object(
    'role', role, 'university_id', university_id, 'department_id', department_id, 'course_id', course_id))
  from held_roles where user_id = users.id), '[]'::json)`;

/**
 * Loads who a token speaks of, with the roles held everywhere: one query, the first of nearly every request. Nobody is
 * found by a token that has ended; someone who is inactive is, to be told so.
 */
export async function findActor(db: Db, bearer: Bearer): Promise<Actor | undefined> {
  const [row] = await actorQuery(db).execute({ id: bearer.id, token_version: bearer.token_version });
  if (!row) return undefined;
  const { roles, ...profile } = row;
  return { ...bearer, profile, roles };
}

const isCurrent = eq(users.token_version, sql.placeholder("token_version"));

/** The text is built once for each database; the pool names the statement. */
const actorQuery = madeOnce((db: Db) =>
  db
    .select({ ...profileColumns, roles: heldRoles })
    .from(users)
    .where(and(eq(users.id, sql.placeholder("id")), or(isCurrent, not(users.is_active))))
    .prepare(""),
);

/** A person as they see themselves: what is stored, without the password. */
type Profile = Pick<typeof users.$inferSelect, keyof typeof profileColumns>;

/** The signed-in person of a request. */
export type Actor = Bearer & {
  profile: Profile;
  roles: readonly HeldRole[];
};
