import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { httpErrorFromCode, notFound } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Actor } from "../auth/actor.ts";
import { personIdByExternalIdSql } from "../users/member-names.ts";
import { canSeeAllUsers, visiblePersonCondition } from "../users/visibility.ts";

/**
 * A query of `id`, `email`, `full_name` and `is_own`. By id only visible people: ids cannot be probed. By
 * email anyone, without their name. By external id a member, for the university's staff. `university` grants
 * directly to its members, to the caller, and by id for a platform_admin; others get an offer (`addressee`).
 */
export function namedPersonQuery(actor: Actor, named: NamedPerson, university: SQLWrapper): SQL {
  const byAddress = named.email !== undefined;
  const isReached = byAddress ? sql`is_email_verified_or_account_unused(users)` : sql`true`;
  const isAtOnce = named.user_id !== undefined && canSeeAllUsers(actor) ? sql`true` : eq(users.id, actor.id);
  return sql`
    select id, email, case when ${visiblePersonCondition(actor)} then full_name end as full_name,
      ${isAtOnce} or ${isReached} and is_person_of_university(${university}, users) as is_own
    from users where ${isNamed(actor, named, university)}`;
}

/**
 * A query of `email` next to `person` (`namedPersonQuery`). The caller cannot tell whether the address has an
 * account.
 */
export const offerRecipientEmailQuery = ({ email }: NamedPerson): SQL => sql`
  select email from person where not is_own
  ${email === undefined ? sql`` : sql`union all select ${email}::text where not exists (select from person)`}`;

export async function ensureNamedPersonExists(
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
  if (named.external_id !== undefined) throw httpErrorFromCode(404, "nobody_with_external_id");
  throw httpErrorFromCode(404, "nobody_with_email");
}

export async function isNamedPersonCaller(
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
  if (user_id !== undefined) return and(eq(users.id, user_id), visiblePersonCondition(actor));
  if (external_id === undefined) return eq(users.email, email);
  return sql`${users.id} = ${personIdByExternalIdSql(university, external_id)} and is_person_of_university(${university}, users)`;
}
