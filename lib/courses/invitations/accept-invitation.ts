import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Invitation, type InvitationAcceptanceAnew } from "../../../schema/api/courses/invitations.ts";
import type { Config } from "../../config.ts";
import { badRequest, type HttpError } from "../../errors.ts";
import { hashOfToken } from "../../identity/accounts/one-time-tokens.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { hashPassword } from "../../identity/auth/password-hashes.ts";
import {
  ensureNewPasswordAllowedAndLong,
  ensureUnguessablePassword,
  type PasswordPolicy,
} from "../../identity/auth/password-policy.ts";
import type { SignedInUser } from "../../identity/auth/register-and-login.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../../identity/identities/former-accounts.ts";
import { noteOnRequest, requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import { invitationColumns } from "./invitations.ts";

const refusals: Record<string, () => HttpError> = {
  void: () => badRequest("invitation_not_usable"),
  withdrawn: () => badRequest("invitation_withdrawn"),
  registered: () => badRequest("address_registered"),
  not_open: () => badRequest("enrollment_not_open"),
  full: () => badRequest("offering_full"),
  enrolled_in_course: () => badRequest("already_enrolled_in_course"),
  by_staff: () => badRequest("enrollment_by_staff"),
  wrong_key: () => badRequest("enrollment_takes_key"),
  inactive_university: () => badRequest("university_inactive"),
};

export const acceptInvitationError = (refusal: string, missing: string | null): HttpError =>
  missing === null
    ? (refusals[refusal]?.() ?? badRequest("not_possible"))
    : badRequest("unmet_prerequisites", { courses: missing });

const Refusal = { refusal: z.string().nullable(), missing: z.string().nullable() };
const Accepted = z.object({ ...Refusal, invitation: Invitation.nullable() });

/**
 * Verifies the caller's address too. 400, without any grant, if the invitation is void, for another address,
 * or can no longer be granted.
 */
export async function acceptInvitation(
  db: Db,
  actor: Actor,
  token: string,
  now: Date,
  secrets: EncryptionSecrets,
): Promise<Invitation> {
  const person = storeFormerAccountsReturningPersonSql(
    sql`${actor.id}`,
    await getOrCreateAccountHashKey(db, secrets),
  );
  const [done] = await rowsOf(
    db,
    Accepted,
    // The subquery sees the row as it was before the call.
    sql`select refusal, missing, (
          select row_to_json(one) from (
            select ${wireColumnsSql(invitationColumns(now))} from invitations as one where one.id = offered.id
          ) as one) as invitation
        from (
          select (select id from invitations where token_hash = ${reachedHash(actor, hashOfToken(token))}) as id
        ) as offered cross join lateral accept_invitation(offered.id, ${person}, ${requestAuditJson()}::jsonb, by_link => true)`,
  );
  if (!done?.invitation || done.refusal !== null)
    throw acceptInvitationError(done?.refusal ?? "void", done?.missing ?? null);
  return {
    ...done.invitation,
    status: "ACCEPTED",
    accepted_at: now.toISOString(),
    accepted_by_user_id: actor.id,
  };
}

/** The token's hash; no row if the invitation's university is outside of the session's reach. */
const reachedHash = ({ reach }: Actor, hash: string): SQL => {
  const reached = tokenReachCondition({ reach }, sql`university_id`);
  return reached
    ? sql`(select token_hash from invitations where token_hash = ${hash} and ${reached})`
    : sql`${hash}`;
};

const Offered = z.object({ email: z.string(), university: z.string() });
const Joined = z.object({ ...Refusal, person: z.int().nullable(), version: z.int().nullable() });

/**
 * Accepts with a new account, verified by the link, or takes over an account with an unverified address. 400
 * as above, and if the account belongs to someone; 403 and 422 for passwords.
 */
export async function acceptInvitationWithNewAccount(
  db: Db,
  config: EncryptionSecrets & PasswordPolicy & Pick<Config, "BCRYPT_COST">,
  { token, full_name, password }: InvitationAcceptanceAnew,
  now: Date,
): Promise<SignedInUser> {
  ensureNewPasswordAllowedAndLong(config, password);
  const hash = hashOfToken(token);
  const looked = sql`
    select offered.email, concat_ws(' ', there.name, there.short_code, there.display_name) as university
    from invitations as offered join universities as there on there.id = offered.university_id
    where offered.token_hash = ${hash} and offered.accepted_at is null and offered.revoked_at is null
      and offered.expires_at > ${now.toISOString()}`;
  // Checked first, because guesses must not trigger expensive hashing.
  const [offered] = await rowsOf(db, Offered, looked);
  if (!offered) throw acceptInvitationError("void", null);
  await ensureUnguessablePassword(config, password, [offered.email, offered.university, full_name]);
  noteOnRequest({ account: hash });
  const wanted = await hashPassword(password, config.BCRYPT_COST);
  const [joined] = await rowsOf(
    db,
    Joined,
    sql`select refusal, missing, ${storeFormerAccountsReturningPersonSql(sql`person`, await getOrCreateAccountHashKey(db, config))} as person, version
        from accept_invitation_with_new_account(${hash}, ${full_name}, ${wanted}, ${requestAuditJson()}::jsonb)`,
  );
  if (!joined?.person || joined.refusal !== null)
    throw acceptInvitationError(joined?.refusal ?? "void", joined?.missing ?? null);
  return { id: joined.person, token_version: joined.version ?? 0 };
}
