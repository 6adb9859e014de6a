import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { UserWithMemberships } from "../../schema/api/users.ts";
import { users } from "../../schema/db/users.ts";
import { requestFacts } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest, notFound } from "../errors.ts";
import { getUser } from "../users/people.ts";
import { personVisibleTo } from "../users/visibility.ts";

/**
 * Deactivates an account, revoking its tokens, or reactivates it. For platform administrators: 404 if there
 * is none, 400 for the caller's own.
 */
export async function setAccountActive(
  db: Db,
  actor: Actor,
  userId: number,
  wanted: boolean,
  now: Date,
): Promise<UserWithMemberships> {
  if (userId === actor.id) throw badRequest("own_account_erased_elsewhere");
  const statement = sql`
    with person as materialized (
      select id from users where ${and(eq(users.id, userId), personVisibleTo(actor))}
    )
    select one.id
    from person, lateral set_account_active(person.id, ${wanted}, ${actor.id}, ${requestFacts()}::jsonb) as one`;
  const [person] = await rowsOf(db, z.object({ id: z.int() }), statement);
  if (person) return getUser(db, actor, person.id, now);
  throw notFound("User");
}
