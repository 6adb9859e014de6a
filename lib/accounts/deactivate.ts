import { and, eq, type SQL, sql } from "drizzle-orm";
import type { User } from "../../schema/api/users.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { storedRowsOf } from "../db/rows.ts";
import { badRequest, forbidden } from "../errors.ts";
import { can } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";
import { requestFacts } from "../request-record.ts";
import { getUser, shownUser, userColumns } from "../users/people.ts";
import { personVisibleTo } from "../users/visibility.ts";

/**
 * Switches an account off, which ends its tokens, or on again, and answers the person. 404 for someone whom the actor
 * may not see, 403 for someone who is not theirs to switch off, 400 for oneself.
 */
export async function setAccountActive(
  db: Db,
  actor: Actor,
  userId: number,
  wanted: boolean,
  now: Date,
): Promise<User> {
  if (userId === actor.id) throw badRequest("Your own account can only be erased, by DELETE /users/me");
  const statement = sql`
    with person as materialized (
      select id from users where ${and(eq(users.id, userId), personVisibleTo(actor), isTheirs(actor))}
    )
    select ${sql.join(
      Object.keys(userColumns).map((name) => sql`one.${sql.identifier(name)}`),
      sql`, `,
    )}
    from person, lateral set_account_active(person.id, ${wanted}, ${actor.id}, ${requestFacts()}::jsonb) as one`;
  const [person] = await storedRowsOf(db, userColumns, statement);
  if (person) return shownUser(person, now);
  await getUser(db, actor, userId, now);
  throw forbidden();
}

/** Whether all roles and enrollments of the person are where the actor may deactivate, and none is above the actor. */
function isTheirs(actor: Actor): SQL | undefined {
  if (can(actor.roles, "user:deactivate-anyone")) return undefined;
  return sql`(
    exists (select from known_at(${users.id}))
    and not exists (
      select from known_at(${users.id}) as known
      where known.role = 'platform_admin'
        or not ${mayAt(actor, "user:deactivate", sql`known.university_id`)}))`;
}
