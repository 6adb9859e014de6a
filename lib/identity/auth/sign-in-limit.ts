import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import { tooManyRequests } from "../../errors.ts";
import { fairQueueKeyOfRequest, requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { hasSignedInOnDevice, type SignInDevice } from "./device.ts";

export type SignInLimitSettings = Pick<Config, "LOGIN_MAX_FAILURES" | "LOGIN_FAILURE_WINDOW_MINUTES">;

export type SignInAttempt = { email: string; device?: SignInDevice | undefined };

/** An account's failures from all networks, as a multiple of one network's; without known devices. */
const networksPerAccount = 10;

/**
 * Counts an attempt before the password is checked: the time until which attempts are blocked, or null.
 * Counts by account and network, then by account. Blocked ones count no further: one network cannot block
 * others. Known devices count apart.
 */
export function countSignInAttemptSql(settings: SignInLimitSettings, attempt: SignInAttempt, now: Date): SQL {
  const { LOGIN_MAX_FAILURES: most, LOGIN_FAILURE_WINDOW_MINUTES: minutes } = settings;
  if (most === 0) return sql`null::timestamptz`;
  const counted = (key: string, limit: number) =>
    sql`count_sign_in_attempt_or_lockout(${key}, ${limit}, make_interval(mins => ${minutes}), ${now.toISOString()})`;
  const own = counted(ownKey(attempt), most);
  if (hasSignedInOnDevice(attempt.device, attempt.email)) return own;
  return sql`coalesce(${own}, ${counted(fingerprint(attempt.email), most * networksPerAccount)})`;
}

/** All counts of an account begin with the same 32 characters. */
function ownKey({ email, device }: SignInAttempt): string {
  const place = hasSignedInOnDevice(device, email)
    ? `device ${device.id}`
    : `network ${fairQueueKeyOfRequest().network}`;
  return fingerprint(email).slice(0, 32) + fingerprint(place).slice(0, 32);
}

/** 429 with Retry-After. Existing and unknown accounts get the same answer. */
export function throwTooManyAttempts(until: Date, now: Date): never {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  throw tooManyRequests("too_many_failed_sign_ins", seconds);
}

export async function auditSignInAndResetFailures(
  db: Db,
  settings: SignInLimitSettings,
  id: number,
  attempt: SignInAttempt,
): Promise<void> {
  const noted = sql`select audit('sign_in', ${id}, ${id}, null, '{}', ${requestAuditJson()}::jsonb)`;
  const isCounted = settings.LOGIN_MAX_FAILURES > 0;
  await db.execute(isCounted ? sql`${uncounted(attempt)} ${noted}` : noted);
}

/** Also if the account may not sign in. */
export async function resetSignInFailures(
  db: Db,
  settings: SignInLimitSettings,
  attempt: SignInAttempt,
): Promise<void> {
  if (settings.LOGIN_MAX_FAILURES > 0) await db.execute(sql`${uncounted(attempt)} select`);
}

/** Other networks keep their counts: the owner's sign-in does not reset guesses. */
const uncounted = (attempt: SignInAttempt): SQL => sql`
  with own as (
    delete from login_failures where account_hash = ${ownKey(attempt)} returning failures
  ), of_account as (
    update login_failures as one set failures = greatest(one.failures - own.failures, 0)
    from own where one.account_hash = ${fingerprint(attempt.email)}
  )`;

/** Audits a wrong password, whether or not the account exists. */
export async function auditFailedSignIn(db: Db, email: string): Promise<void> {
  await db.execute(sql`
    select audit('sign_in.failed', null, (select id from users where email = ${email}), null, '{}', ${requestAuditJson()}::jsonb)`);
}
