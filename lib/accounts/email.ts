import { sql } from "drizzle-orm";
import * as z from "zod";
import type { EmailChange } from "../../schema/api/accounts.ts";
import type { Caller } from "../auth/guards.ts";
import { acceptInvitations } from "../auth/open-invitations.ts";
import type { LimitSettings } from "../auth/sign-in-limit.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import type { Secrets } from "../encryption.ts";
import { badRequest } from "../errors.ts";
import { accountHashKey, withFormerAccounts } from "../identities/former-accounts.ts";
import { requestFacts } from "../request-record.ts";
import { ensureCurrentPassword } from "./current-password.ts";
import { hashOfToken } from "./one-time-tokens.ts";
import { ensureFresh, ownWayIn } from "./own-account.ts";
import { badToken, invitedOwnerOf } from "./passwords.ts";

/**
 * Has a link sent to the new address, which is the account's from when the link is followed. For the address that the
 * account has already, the link verifies it. The current password is required; without one another address takes a
 * sign-in of the last minutes, else 403, and so does a token that does not reach the whole account. 400 for an address
 * that another account has. A second one for the same person or address waits for a minute.
 */
export async function changeEmail(
  db: Db,
  config: LimitSettings & Pick<Config, "BCRYPT_COST">,
  caller: Caller,
  { email, current_password: password }: EmailChange,
  now: Date,
): Promise<void> {
  const account = await ownWayIn(db, caller);
  if (account.password_hash === null && email !== account.email) ensureFresh(caller, now);
  await ensureCurrentPassword(db, config, account, { field: "current_password", password, now });
  const kind = email === account.email ? "verify_email" : "change_email";
  const noted = await rowsOf(
    db,
    Noted,
    sql`select mail_confirmation(${kind}, ${email}, ${caller.id}, ${now.toISOString()})::text as noted
        where not exists (select from users where email = ${email} and id <> ${caller.id})`,
  );
  if (noted.length === 0) throw badRequest("Email already registered");
}

const Noted = z.object({ noted: z.string().nullable() });
const Done = z.object({ done: z.boolean(), invited: z.int().nullable() });

/**
 * Takes an address for verified, or makes it the account's, by a link's token: once, 400 for one that is no good. What
 * is offered to the address is accepted by that.
 */
export async function confirmEmail(db: Db, secrets: Secrets, token: string, now: Date): Promise<void> {
  const hash = hashOfToken(token);
  const owner = sql`(select user_id from one_time_tokens where token_hash = ${hash})`;
  // By the address that they had, which is gone then.
  const known = withFormerAccounts(owner, await accountHashKey(db, secrets));
  const statement = sql`
    with known as materialized (select ${known} as person, ${invitedOwnerOf(hash, now)} as invited)
    select confirm_email(${hash}, ${requestFacts()}::jsonb) as done, known.invited
    from known`;
  const [confirmed] = await rowsOf(db, Done, statement);
  if (!confirmed?.done) throw badToken();
  if (confirmed.invited) await acceptInvitations(db, confirmed.invited);
}
