import { and, eq, sql } from "drizzle-orm";
import type { User } from "../../schema/api/users.ts";
import { users } from "../../schema/db/users.ts";
import { requestFacts } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { storedRowsOf } from "../db/query/rows.ts";
import { badRequest, notFound } from "../errors.ts";
import { shownUser, userColumns } from "../users/people.ts";
import { personVisibleTo } from "../users/visibility.ts";

/**
 * Switches an account off, which ends its tokens, or on again, and answers the person. For
 * the platform's administrators: 404 for nobody, 400 for oneself.
 */
export async function setAccountActive(
  db: Db,
  actor: Actor,
  userId: number,
  wanted: boolean,
  now: Date,
): Promise<User> {
  if (userId === actor.id) throw badRequest("own_account_erased_elsewhere");
  const statement = sql`
    with person as materialized (
      select id from users where ${and(eq(users.id, userId), personVisibleTo(actor))}
    )
    select ${sql.join(
      Object.keys(userColumns).map((name) => sql`one.${sql.identifier(name)}`),
      sql`, `,
    )}
    from person, lateral set_account_active(person.id, ${wanted}, ${actor.id}, ${requestFacts()}::jsonb) as one`;
  const [person] = await storedRowsOf(db, userColumns, statement);
  if (person) return shownUser(person, now);
  throw notFound("User");
}
