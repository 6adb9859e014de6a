import { and, eq, sql } from "drizzle-orm";
import type { UserWithMemberships } from "../../../schema/api/identity/users.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { badRequest, notFound } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Actor } from "../auth/actor.ts";
import { toUserForReader, userColumnsWithMemberships } from "../users/people.ts";
import { visiblePersonCondition } from "../users/visibility.ts";

/** Deactivation revokes tokens. For platform administrators: 404 if there is none, 400 for their own. */
export async function setAccountActive(
  db: Db,
  actor: Actor,
  userId: number,
  wanted: boolean,
  now: Date,
): Promise<UserWithMemberships> {
  if (userId === actor.id) throw badRequest("own_account_erased_elsewhere");
  const changed = sql`(
    with person as materialized (
      select id from users where ${and(eq(users.id, userId), visiblePersonCondition(actor))}
    )
    select one.*
    from person, lateral set_account_active(person.id, ${wanted}, ${actor.id}, ${requestAuditJson()}::jsonb) as one) as changed`;
  const [row] = await db
    .select({
      ...userColumnsWithMemberships(actor),
      is_active: sql`changed.is_active`.mapWith(users.is_active),
      updated_at: sql`changed.updated_at`.mapWith(users.updated_at),
    })
    .from(users)
    .innerJoin(changed, sql`changed.id = users.id`)
    .where(eq(users.id, userId));
  if (!row) throw notFound("User");
  return toUserForReader(row, actor, now);
}
