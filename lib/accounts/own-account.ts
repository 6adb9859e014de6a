import { and, eq, isNull } from "drizzle-orm";
import { accountEmail, users } from "../../schema/db/users.ts";
import type { Caller } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";
import { inactiveUser, unauthorized } from "../errors.ts";

const columns = {
  email: accountEmail,
  email_verified_at: users.email_verified_at,
  password_hash: users.password_hash,
  is_active: users.is_active,
  token_version: users.token_version,
};

export type OwnAccount = Pick<typeof users.$inferSelect, Exclude<keyof typeof columns, "email">> & {
  email: string;
};

/** The caller's account with what signs them in, which a guard does not read; 401 and 403 as the guards say them. */
export async function ownAccount(db: Db, caller: Caller): Promise<OwnAccount> {
  const [account] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.id, caller.id), isNull(users.erased_at)));
  if (!account) throw unauthorized();
  if (!account.is_active) throw inactiveUser();
  if (account.token_version !== caller.token_version) throw unauthorized();
  return account;
}
