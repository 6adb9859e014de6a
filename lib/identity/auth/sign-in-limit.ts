import { type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config.ts";
import { tooManyRequests } from "../../errors.ts";
import { requestFacts } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";

export type LimitSettings = Pick<Config, "LOGIN_MAX_FAILURES" | "LOGIN_FAILURE_WINDOW_MINUTES">;

/**
 * Counts an attempt for the address before the password is checked. An SQL value: the time until which
 * attempts are blocked, or null. Without a limit nothing is counted.
 */
export function attemptCounted(settings: LimitSettings, email: string, now: Date): SQL {
  const { LOGIN_MAX_FAILURES: most, LOGIN_FAILURE_WINDOW_MINUTES: minutes } = settings;
  if (most === 0) return sql`null::timestamptz`;
  return sql`begin_sign_in(${fingerprint(email)}, ${most}, make_interval(mins => ${minutes}), ${now.toISOString()})`;
}

/** 429 with Retry-After. Existing and unknown accounts get the same answer. */
export function throwTooManyAttempts(until: Date, now: Date): never {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
  throw tooManyRequests("too_many_failed_sign_ins", seconds);
}

/** Audits a password sign-in and resets the failure count. */
export async function noteSignIn(
  db: Db,
  settings: LimitSettings,
  { id, email }: { id: number; email: string },
): Promise<void> {
  const noted = sql`select audit('sign_in', ${id}, ${id}, null, '{}', ${requestFacts()}::jsonb)`;
  const isCounted = settings.LOGIN_MAX_FAILURES > 0;
  const forgotten = sql`with forgotten as (delete from login_failures where account_hash = ${fingerprint(email)})`;
  await db.execute(isCounted ? sql`${forgotten} ${noted}` : noted);
}

/** A correct password resets the count, even if the account may not sign in. */
export async function deleteFailures(db: Db, settings: LimitSettings, email: string): Promise<void> {
  if (settings.LOGIN_MAX_FAILURES > 0)
    await db.execute(sql`delete from login_failures where account_hash = ${fingerprint(email)}`);
}

/** Audits a wrong password, whether or not the account exists. */
export async function noteFailedSignIn(db: Db, email: string): Promise<void> {
  await db.execute(sql`
    select audit('sign_in.failed', null, (select id from users where email = ${email}), null, '{}', ${requestFacts()}::jsonb)`);
}
