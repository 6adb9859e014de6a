import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Actor } from "./actor.ts";
import { type TokenLimits, tokenReachCondition } from "./token-reach.ts";

export const hasOpenInvitationCondition = (
  email: SQLWrapper,
  university: SQLWrapper,
  now: Date,
): SQL => sql`exists (
  select from invitations as offered
  where offered.email = ${email} and offered.university_id = ${university}
    and offered.accepted_at is null and offered.revoked_at is null
    and offered.expires_at > ${now.toISOString()}::timestamptz)`;

/** Rows `one` of open invitations. */
export const openInvitationCondition = (
  now: Date,
): SQL => sql`one.accepted_at is null and one.revoked_at is null
  and one.expires_at > ${now.toISOString()}::timestamptz`;

/** Rows `one` of invitations to the person's verified address, within the token's reach. */
export const invitationForActorCondition = (actor: Pick<Actor, "id"> & TokenLimits): SQL =>
  and(
    sql`one.email = (select email from users where id = ${actor.id} and email_verified_at is not null)`,
    tokenReachCondition(actor, sql`one.university_id`),
  ) ?? sql`false`;

export const openInvitationCountSql = (actor: Pick<Actor, "id"> & TokenLimits, now: Date): SQL => sql`(
  select count(*)::int from invitations as one where ${invitationForActorCondition(actor)} and ${openInvitationCondition(now)})`;

/** After a sign-in through the university. A separate statement, since it locks before it reads. */
export async function acceptInvitationsAfterSignIn(
  db: Db,
  person: number,
  university: number,
): Promise<void> {
  await db.execute(
    sql`select accept_invitations_of_person(${person}, ${requestAuditJson()}::jsonb, ${university})`,
  );
}
