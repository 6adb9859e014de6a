import { sql } from "drizzle-orm";
import * as z from "zod";
import type { PasswordChange, PasswordReset } from "../../schema/api/accounts.ts";
import { noteOnRequest, requestFacts } from "../async/request-context.ts";
import type { Caller } from "../auth/guards.ts";
import { ensureNewPassword, ensurePasswords } from "../auth/password-policy.ts";
import { hashPassword } from "../auth/passwords.ts";
import type { LimitSettings } from "../auth/sign-in-limit.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest } from "../errors.ts";
import { ensureCurrentPassword } from "./current-password.ts";
import { hashOfToken } from "./one-time-tokens.ts";
import { ensureFresh, ownWayIn } from "./own-account.ts";

type Settings = LimitSettings & Pick<Config, "BCRYPT_COST" | "PASSWORD_SIGN_IN" | "PASSWORD_MIN_LENGTH">;

const Version = z.object({ token_version: z.int().nullable() });

/**
 * Sets a new password and ends all tokens of the person; answers the version of those that are made next. The current
 * one is required, 422, 400 or 429 as `ensureCurrentPassword` says; the first one takes a sign-in of the last minutes,
 * else 403, and so does a token that does not reach the whole account. Of two changes at once the second is a 400.
 */
export async function changePassword(
  db: Db,
  config: Settings,
  caller: Caller,
  change: PasswordChange,
  now: Date,
): Promise<number> {
  const account = await ownWayIn(db, caller);
  ensureNewPassword(config, change.new_password, "new_password");
  if (account.password_hash === null) ensureFresh(caller, now);
  const given = { field: "current_password", password: change.current_password, now };
  await ensureCurrentPassword(db, config, account, given);
  const hash = await hashPassword(change.new_password, config.BCRYPT_COST);
  const [changed] = await rowsOf(
    db,
    Version,
    sql`select change_password(${caller.id}, ${account.password_hash}, ${hash}, ${requestFacts()}::jsonb)
        as token_version`,
  );
  if (!changed?.token_version) throw badRequest("password_changed_meanwhile");
  return changed.token_version;
}

/**
 * Has a link sent that sets a new password, where an account has the address; nothing tells whether one has, nor whether
 * the mails of the hour are used up.
 */
export async function askForPasswordReset(
  db: Db,
  config: Pick<Config, "PASSWORD_SIGN_IN" | "ACCOUNT_MAILS_PER_HOUR">,
  email: string,
): Promise<void> {
  ensurePasswords(config);
  await db.execute(
    sql`select ask_for_password_reset(${email}, ${config.ACCOUNT_MAILS_PER_HOUR}, ${requestFacts()}::jsonb)`,
  );
}

const Known = z.object({ known: z.boolean() });
const Done = z.object({ done: z.boolean() });

/** Sets the password by a link's token, once; 400 for one that is used, expired, or was never made. Ends all tokens. */
export async function resetPassword(
  db: Db,
  config: Settings,
  { token, new_password }: PasswordReset,
  now: Date,
): Promise<void> {
  ensureNewPassword(config, new_password, "new_password");
  const hash = hashOfToken(token);
  const looked = sql`
    select exists (
      select from one_time_tokens
      where token_hash = ${hash} and purpose = 'password_reset' and expires_at > ${now.toISOString()}) as known`;
  // Who guesses does not have a password hashed, which is the dear part.
  const [found] = await rowsOf(db, Known, looked);
  if (!found?.known) throw badToken();
  noteOnRequest({ account: hash });
  const passwordHash = await hashPassword(new_password, config.BCRYPT_COST);
  const [reset] = await rowsOf(
    db,
    Done,
    sql`select reset_password(${hash}, ${passwordHash}, ${requestFacts()}::jsonb) as done`,
  );
  if (!reset?.done) throw badToken();
}

/** What is said of every token that is no good, whatever the reason. */
export const badToken = () => badRequest("link_is_void");
