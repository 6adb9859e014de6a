import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { users } from "../../../schema/db/identity/users.ts";
import { forbidden, inactiveUserError, unauthorized } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { Caller } from "../auth/guards.ts";
import { tokenReachesOwnData } from "../auth/token-reach.ts";
import { accountWordsForPasswordCheckJsonSql } from "./own-words.ts";

const columns = {
  email: users.email,
  email_verified_at: users.email_verified_at,
  password_hash: users.password_hash,
  is_active: users.is_active,
  token_version: users.token_version,
};

const limits = {
  only_university_id: typedSql(z.int().nullable())`managing_university_of_account(${users.id})`,
  own_words: typedSql(z.array(z.string()))`${accountWordsForPasswordCheckJsonSql(users.id)}`,
};

/** True if the university that the token is limited to has revoked it. */
const hasEndedThere = ({ id, reach, signed_in_at }: Caller): SQL =>
  reach
    ? sql`is_university_token_revoked(${reach.university_id}::int, ${id}::int, ${signed_in_at ?? null}::bigint)`
    : sql`false`;

export type OwnAccountWithCredentials = Pick<typeof users.$inferSelect, keyof typeof columns> & {
  own_words: string[];
};

/**
 * With credentials, which guards do not load. 401 and 403 as from the guards, and 403 if the token does not
 * reach the whole account.
 */
export async function loadOwnAccountWithCredentials(
  db: Db,
  caller: Caller,
): Promise<OwnAccountWithCredentials> {
  const [found] = await db
    .select({ ...columns, ...limits, has_ended: typedSql(z.boolean())`${hasEndedThere(caller)}` })
    .from(users)
    .where(and(eq(users.id, caller.id), isNull(users.erased_at)));
  if (!found) throw unauthorized();
  const { only_university_id, has_ended, ...account } = found;
  if (!account.is_active) throw inactiveUserError();
  if (has_ended || account.token_version !== caller.token_version) throw unauthorized();
  if (!tokenReachesOwnData({ reach: caller.reach, only_university_id }))
    throw forbidden("account_out_of_reach");
  return account;
}

/** For changing credentials, which a session by a university's provider may never do. */
export async function loadAccountForCredentialChange(
  db: Db,
  caller: Caller,
): Promise<OwnAccountWithCredentials> {
  const account = await loadOwnAccountWithCredentials(db, caller);
  if (caller.reach) throw forbidden("account_out_of_reach");
  return account;
}

const freshMinutes = 10;

/** Throws 403 unless the caller signed in recently. */
export function ensureRecentSignIn({ signed_in_at = 0 }: Caller, now: Date): void {
  if (now.getTime() / 1000 - signed_in_at > freshMinutes * 60)
    throw forbidden("fresh_sign_in_required", { minutes: freshMinutes });
}
