import { sql } from "drizzle-orm";
import * as z from "zod";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import type { Config } from "../../config.ts";
import { badRequest, invalidField } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { verifyPassword } from "../auth/password-hashes.ts";
import {
  auditFailedSignIn,
  countSignInAttemptSql,
  resetSignInFailures,
  type SignInLimitSettings,
  throwTooManyAttempts,
} from "../auth/sign-in-limit.ts";
import type { OwnAccountWithCredentials } from "./own-account.ts";

type Settings = SignInLimitSettings & Pick<Config, "BCRYPT_COST">;

const Attempt = z.object({ refused_until: StoredInstant.nullable() });

/**
 * 422 at `field` if the password is absent, 400 if it is wrong (counted as a failed sign-in), 429 after too
 * many failures. Passes accounts without a password.
 */
export async function ensureCurrentPassword(
  db: Db,
  settings: Settings,
  account: OwnAccountWithCredentials,
  given: { field: string; password: string | undefined; now: Date },
): Promise<void> {
  const { field, password, now } = given;
  // An account with a password always has an address.
  if (account.password_hash === null || account.email === null) return;
  if (password === undefined) throw invalidField([field], "Field required", "missing");
  await countAttempt(db, settings, account.email, now);
  if (!(await verifyPassword(password, account.password_hash, settings.BCRYPT_COST))) {
    await auditFailedSignIn(db, account.email);
    throw badRequest("incorrect_password");
  }
  await resetSignInFailures(db, settings, { email: account.email });
}

async function countAttempt(db: Db, settings: Settings, email: string, now: Date): Promise<void> {
  if (settings.LOGIN_MAX_FAILURES === 0) return;
  const counted = sql`select ${countSignInAttemptSql(settings, { email }, now)} as refused_until`;
  const [attempt] = await rowsOf(db, Attempt, counted);
  if (attempt?.refused_until) throwTooManyAttempts(new Date(toInstant(attempt.refused_until)), now);
}
