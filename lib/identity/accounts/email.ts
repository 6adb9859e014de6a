import { sql } from "drizzle-orm";
import * as z from "zod";
import type { EmailChange, EmailVerification } from "../../../schema/api/identity/accounts.ts";
import type { Config } from "../../config.ts";
import { badRequest, unauthorized } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import type { Actor } from "../auth/actor.ts";
import type { Caller } from "../auth/guards.ts";
import { hashPassword } from "../auth/password-hashes.ts";
import {
  ensureNewPasswordAllowedAndLong,
  ensureUnguessablePassword,
  type PasswordPolicy,
} from "../auth/password-policy.ts";
import type { SignInLimitSettings } from "../auth/sign-in-limit.ts";
import { ensureTokenReachesWholeAccount } from "../auth/token-reach.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../identities/former-accounts.ts";
import { ensureCurrentPassword } from "./current-password.ts";
import { hashOfToken } from "./one-time-tokens.ts";
import { ensureRecentSignIn, loadAccountForCredentialChange } from "./own-account.ts";
import { accountWordsForPasswordCheckJsonSql } from "./own-words.ts";
import { invalidLinkTokenError } from "./password-changes.ts";

/**
 * Sends a link to the new address, which takes effect when followed. For the current address the link
 * verifies it. Requires the password; without one, changing the address needs a recent sign-in, else 403. 403
 * if the token does not reach the whole account, 400 if the address is taken. One mail per person or address
 * a minute.
 */
export async function requestEmailChangeOrVerification(
  db: Db,
  config: SignInLimitSettings & Pick<Config, "BCRYPT_COST" | "ACCOUNT_MAILS_PER_HOUR">,
  caller: Caller,
  { email, current_password: password }: EmailChange,
  now: Date,
): Promise<void> {
  const account = await loadAccountForCredentialChange(db, caller);
  if (account.password_hash === null && email !== account.email) ensureRecentSignIn(caller, now);
  await ensureCurrentPassword(db, config, account, { field: "current_password", password, now });
  const kind = email === account.email ? "verify_email" : "change_email";
  const noted = await rowsOf(
    db,
    Noted,
    sql`select queue_confirmation_mail(${kind}, ${email}, ${caller.id}, ${config.ACCOUNT_MAILS_PER_HOUR},
          ${requestAuditJson()}::jsonb)::text as noted
        where not exists (select from users where email = ${email} and id <> ${caller.id})`,
  );
  if (noted.length === 0) throw badRequest("email_taken");
}

const Noted = z.object({ noted: z.string().nullable() });
const Done = z.object({ done: z.boolean() });

const Owner = z.object({ own_words: z.array(z.string()) });

/**
 * Verifies or changes the address by a link's token, once, for the signed-in account. 400 if the token is
 * void or another account's, 403 for a token limited to a university. Without a sign-in it takes a password:
 * the mail's recipient takes the account over, which revokes all tokens; else 401. Offers to the address stay
 * open.
 */
export async function confirmEmail(
  db: Db,
  config: EncryptionSecrets & PasswordPolicy & Pick<Config, "BCRYPT_COST">,
  actor: Actor | undefined,
  { token, password }: EmailVerification,
  now: Date,
): Promise<void> {
  if (!actor && password === undefined) throw unauthorized("address_to_be_confirmed");
  if (actor) ensureTokenReachesWholeAccount(actor);
  if (password !== undefined) ensureNewPasswordAllowedAndLong(config, password);
  const hash = hashOfToken(token);
  const wanted = password === undefined ? null : await newHash(db, config, hash, password, now);
  const owner = sql`(select user_id from one_time_tokens where token_hash = ${hash})`;
  // Matches erased accounts by the old address before it is replaced.
  const known = storeFormerAccountsReturningPersonSql(owner, await getOrCreateAccountHashKey(db, config));
  const statement = sql`
    with known as materialized (select ${known} as person)
    select confirm_email(${hash}, ${requestAuditJson()}::jsonb, ${actor?.id ?? null}, ${wanted}) as done from known`;
  const [confirmed] = await rowsOf(db, Done, statement);
  if (!confirmed?.done) throw invalidLinkTokenError();
}

/** Checks the token first, because guesses must not trigger expensive hashing. */
async function newHash(
  db: Db,
  config: PasswordPolicy & Pick<Config, "BCRYPT_COST">,
  hash: string,
  password: string,
  now: Date,
): Promise<string> {
  const looked = sql`
    select ${accountWordsForPasswordCheckJsonSql(sql`user_id`)} as own_words from one_time_tokens
    where token_hash = ${hash} and purpose = 'verify_email' and expires_at > ${now.toISOString()}`;
  const [owner] = await rowsOf(db, Owner, looked);
  if (!owner) throw invalidLinkTokenError();
  await ensureUnguessablePassword(config, password, owner.own_words);
  return hashPassword(password, config.BCRYPT_COST);
}
