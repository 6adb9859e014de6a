import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { NamedPerson } from "../../schema/api/named-person.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { notFound, refusal } from "../errors.ts";
import { personByExternalId } from "../users/name-there.ts";
import { personVisibleTo, seesAll } from "../users/visibility.ts";

/**
 * The account that a body names, as a query of `id`, `email`, `full_name` and `is_own`: by id only
 * those whom the caller may see, so that nobody reaches strangers by guessing. Anyone can be named by e-mail; their name is
 * not shown. By an external id it is one of the university's own people, whose staff alone ask. What `university` gives them is theirs at once if they are its own people (schema/functions/identities.sql), who
 * give it to themselves, or by id to anyone where a platform_admin does; to all others it is offered (`addressee`).
 */
export function namedPerson(actor: Actor, named: NamedPerson, university: SQLWrapper): SQL {
  const byAddress = named.email !== undefined;
  const isReached = byAddress ? sql`is_reached_by_address(users)` : sql`true`;
  const isAtOnce = named.user_id !== undefined && seesAll(actor) ? sql`true` : eq(users.id, actor.id);
  return sql`
    select id, email, case when ${personVisibleTo(actor)} then full_name end as full_name,
      ${isAtOnce} or ${isReached} and is_own_person(${university}, users) as is_own
    from users where ${isNamed(actor, named, university)}`;
}

/**
 * The address that is offered what is not given at once, as a query of `email` beside `person` (`namedPerson`): that of an
 * account of elsewhere, or any that no account has. Who asks is told the same of both.
 */
export const addressee = ({ email }: NamedPerson): SQL => sql`
  select email from person where not is_own
  ${email === undefined ? sql`` : sql`union all select ${email}::text where not exists (select from person)`}`;

/** Throws a 404 unless there is such a person. */
export async function ensureKnownPerson(
  db: Db,
  actor: Actor,
  named: NamedPerson,
  university: SQLWrapper,
): Promise<void> {
  const [person] = await db
    .select({ id: users.id })
    .from(users)
    .where(isNamed(actor, named, university));
  if (person) return;
  if (named.user_id !== undefined) throw notFound("User");
  if (named.external_id !== undefined) throw refusal(404, "nobody_with_external_id");
  throw refusal(404, "nobody_with_email");
}

/** Whether whoever asks names themselves, in whichever way. */
export async function namesOneself(
  db: Db,
  actor: Actor,
  named: NamedPerson,
  university: SQLWrapper,
): Promise<boolean> {
  const isOneself = and(eq(users.id, actor.id), isNamed(actor, named, university));
  return (await db.$count(users, isOneself)) > 0;
}

function isNamed(
  actor: Actor,
  { user_id, email = "", external_id }: NamedPerson,
  university: SQLWrapper,
): SQL | undefined {
  if (user_id !== undefined) return and(eq(users.id, user_id), personVisibleTo(actor));
  if (external_id === undefined) return eq(users.email, email);
  return sql`${users.id} = ${personByExternalId(university, external_id)} and is_own_person(${university}, users)`;
}
