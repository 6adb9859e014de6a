import { sql } from "drizzle-orm";
import * as z from "zod";
import type { AccountErasure } from "../../../schema/api/identity/accounts.ts";
import type { Config } from "../../config.ts";
import { badRequest, unauthorized } from "../../errors.ts";
import { ensureCurrentPassword } from "../../identity/accounts/current-password.ts";
import { ensureRecentSignIn, loadOwnAccountWithCredentials } from "../../identity/accounts/own-account.ts";
import type { Caller } from "../../identity/auth/guards.ts";
import type { SignInLimitSettings } from "../../identity/auth/sign-in-limit.ts";
import { getOrCreateAccountHashKey } from "../../identity/identities/former-accounts.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";

const Erased = z.object({ erased: z.boolean() });

/**
 * Requires the password (`ensureCurrentPassword`), or without one a recent sign-in with an identity provider,
 * else 403. 401 if the tokens were revoked in between.
 */
export async function eraseAccount(
  db: Db,
  config: SignInLimitSettings & EncryptionSecrets & Pick<Config, "BCRYPT_COST">,
  caller: Caller,
  { password, keep_certificates }: AccountErasure,
  now: Date,
): Promise<void> {
  const account = await loadOwnAccountWithCredentials(db, caller);
  if (account.password_hash === null) ensureRecentSignIn(caller, now);
  await ensureCurrentPassword(db, config, account, { field: "password", password, now });
  const key = await getOrCreateAccountHashKey(db, config);
  const [outcome] = await rowsOf(
    db,
    Erased,
    sql`select erase_account(${caller.id}, ${account.token_version}, ${keep_certificates}, ${requestAuditJson()}::jsonb,
          ${key}::bytea) as erased`,
  ).catch(throwLastAdministrator);
  if (!outcome?.erased) throw unauthorized();
}

function throwLastAdministrator(error: unknown): never {
  const isLast = constraintViolationIn(error)?.constraint === "last_administrator";
  throw isLast ? badRequest("last_administrator") : error;
}
