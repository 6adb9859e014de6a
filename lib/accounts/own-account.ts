import { and, eq, isNull } from "drizzle-orm";
import * as z from "zod";
import { accountEmail, users } from "../../schema/db/users.ts";
import type { Caller } from "../auth/guards.ts";
import { accountOutOfReach, ensureReachesAccount } from "../auth/token-reach.ts";
import type { Db } from "../db/client.ts";
import { valueAs } from "../db/query/rows.ts";
import { forbidden, inactiveUser, unauthorized } from "../errors.ts";

const columns = {
  email: accountEmail,
  email_verified_at: users.email_verified_at,
  password_hash: users.password_hash,
  is_active: users.is_active,
  token_version: users.token_version,
};

const limits = {
  only_university_id: valueAs(z.int().nullable())`only_university_of(${users.id})`,
};

export type OwnAccount = Pick<typeof users.$inferSelect, Exclude<keyof typeof columns, "email">> & {
  email: string;
};

/**
 * The caller's account with what signs them in, which a guard does not read; 401 and 403 as the guards say them. 403 too
 * for a token that does not reach the whole account.
 */
export async function ownAccount(db: Db, caller: Caller): Promise<OwnAccount> {
  const [found] = await db
    .select({ ...columns, ...limits })
    .from(users)
    .where(and(eq(users.id, caller.id), isNull(users.erased_at)));
  if (!found) throw unauthorized();
  const { only_university_id, ...account } = found;
  if (!account.is_active) throw inactiveUser();
  if (account.token_version !== caller.token_version) throw unauthorized();
  ensureReachesAccount({ reach: caller.reach, only_university_id });
  return account;
}

/** The same for what signs them in, which no sign-in by a university's provider changes, whatever the account is. */
export async function ownWayIn(db: Db, caller: Caller): Promise<OwnAccount> {
  const account = await ownAccount(db, caller);
  if (caller.reach) throw forbidden(accountOutOfReach);
  return account;
}

/** How long a sign-in is fresh. */
const freshMinutes = 10;

/** Throws 403 unless the caller has signed in within the last minutes. */
export function ensureFresh({ signed_in_at = 0 }: Caller, now: Date): void {
  if (now.getTime() / 1000 - signed_in_at > freshMinutes * 60)
    throw forbidden(`This takes a sign-in of the last ${freshMinutes} minutes: sign in again`);
}
