import { sql } from "drizzle-orm";
import * as z from "zod";
import type { PasswordChange, PasswordReset } from "../../../schema/api/identity/accounts.ts";
import type { Config } from "../../config.ts";
import { badRequest } from "../../errors.ts";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import { noteOnRequest, requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { Caller } from "../auth/guards.ts";
import { hashPassword } from "../auth/password-hashes.ts";
import {
  ensureNewPasswordAllowedAndLong,
  ensurePasswordSignInEnabled,
  ensureUnguessablePassword,
  type PasswordPolicy,
} from "../auth/password-policy.ts";
import type { SignInLimitSettings } from "../auth/sign-in-limit.ts";
import { ensureCurrentPassword } from "./current-password.ts";
import { hashOfToken } from "./one-time-tokens.ts";
import { ensureRecentSignIn, loadAccountForCredentialChange } from "./own-account.ts";
import { accountWordsForPasswordCheckJsonSql } from "./own-words.ts";

type Settings = SignInLimitSettings & PasswordPolicy & Pick<Config, "BCRYPT_COST">;

const Version = z.object({ token_version: z.int().nullable() });

/**
 * Revokes all tokens and returns the new token version. Requires the current password
 * (`ensureCurrentPassword`: 422, 400, 429), or for a first one a recent sign-in, else 403. 403 if the token
 * does not reach the whole account. Of two concurrent changes the second is a 400.
 */
export async function changePassword(
  db: Db,
  config: Settings,
  caller: Caller,
  change: PasswordChange,
  now: Date,
): Promise<number> {
  const account = await loadAccountForCredentialChange(db, caller);
  ensureNewPasswordAllowedAndLong(config, change.new_password, "new_password");
  await ensureUnguessablePassword(config, change.new_password, account.own_words, "new_password");
  if (account.password_hash === null) ensureRecentSignIn(caller, now);
  const given = { field: "current_password", password: change.current_password, now };
  await ensureCurrentPassword(db, config, account, given);
  const hash = await hashPassword(change.new_password, config.BCRYPT_COST);
  const [changed] = await rowsOf(
    db,
    Version,
    sql`select change_password(${caller.id}, ${account.password_hash}, ${hash}, ${requestAuditJson()}::jsonb)
        as token_version`,
  );
  if (!changed?.token_version) throw badRequest("password_changed_meanwhile");
  return changed.token_version;
}

/** The response reveals neither whether the address has an account nor the hourly mail limit. */
export async function askForPasswordReset(
  db: Db,
  config: Pick<Config, "PASSWORD_SIGN_IN" | "ACCOUNT_MAILS_PER_HOUR">,
  email: string,
): Promise<void> {
  ensurePasswordSignInEnabled(config);
  await fairLimits.database.run(() =>
    db.execute(
      sql`select queue_password_reset_mail(${email}, ${config.ACCOUNT_MAILS_PER_HOUR}, ${requestAuditJson()}::jsonb)`,
    ),
  );
}

const Owner = z.object({ own_words: z.array(z.string()) });
const Done = z.object({ done: z.boolean() });

/** Revokes all tokens. 400 if the link's token is used, expired or unknown. */
export async function resetPassword(
  db: Db,
  config: Settings,
  { token, new_password }: PasswordReset,
  now: Date,
): Promise<void> {
  ensureNewPasswordAllowedAndLong(config, new_password, "new_password");
  const hash = hashOfToken(token);
  const looked = sql`
    select ${accountWordsForPasswordCheckJsonSql(sql`user_id`)} as own_words from one_time_tokens
    where token_hash = ${hash} and purpose = 'password_reset' and expires_at > ${now.toISOString()}`;
  // Checked first, because guesses must not trigger expensive hashing.
  const [owner] = await rowsOf(db, Owner, looked);
  if (!owner) throw invalidLinkTokenError();
  await ensureUnguessablePassword(config, new_password, owner.own_words, "new_password");
  noteOnRequest({ account: hash });
  const passwordHash = await hashPassword(new_password, config.BCRYPT_COST);
  const [reset] = await rowsOf(
    db,
    Done,
    sql`select reset_password(${hash}, ${passwordHash}, ${requestAuditJson()}::jsonb) as done`,
  );
  if (!reset?.done) throw invalidLinkTokenError();
}

/** The same error for every invalid token. */
export const invalidLinkTokenError = () => badRequest("link_is_void");
