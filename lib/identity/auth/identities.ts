import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { userIdentities } from "../../../schema/db/identity/identities.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { forbidden, HttpError, inactiveUniversityError, inactiveUserError } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import { onlyInactiveUniversitiesCondition } from "./only-inactive-universities.ts";
import type { SignedInUser } from "./register-and-login.ts";

export type ProviderIdentity = {
  provider: string;
  /** The provider's immutable id of the person. */
  subject: string;
  /** Normalized. Set only if the provider has verified it. */
  email: string | undefined;
  full_name: string;
};

/**
 * The account linked to the identity. On first use, links the account with the verified email, or creates
 * one. An account with an unverified address could be anyone's: it loses its password and tokens. 403:
 * inactive account, learner of inactive universities only, or no verified email.
 */
export async function findOrCreateUserOfIdentity(db: Db, identity: ProviderIdentity): Promise<SignedInUser> {
  const { provider, subject, email } = identity;
  const [linked] = await db
    .select({
      id: users.id,
      token_version: users.token_version,
      is_active: users.is_active,
      is_shut_out: typedSql(z.boolean())`${onlyInactiveUniversitiesCondition(users.id)}`,
    })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.user_id))
    .where(and(eq(userIdentities.provider, provider), eq(userIdentities.subject, subject)));
  if (linked?.is_active === false) throw inactiveUserError();
  if (linked?.is_shut_out) throw inactiveUniversityError();
  if (linked) {
    await noteSignInBy(db, provider, linked.id);
    return { id: linked.id, token_version: linked.token_version };
  }
  if (!email) throw forbidden("no_verified_address");
  const [account] = await rowsOf(
    db,
    LinkedAccount,
    sql`select id, token_version, ${onlyInactiveUniversitiesCondition(sql`id`)} as is_shut_out
        from link_identity_or_create_account(${provider}, ${subject}, ${email}, ${identity.full_name}, ${requestAuditJson()}::jsonb)`,
  );
  if (!account) return refusal(db, email);
  if (account.is_shut_out) throw inactiveUniversityError();
  await noteSignInBy(db, provider, account.id);
  return { id: account.id, token_version: account.token_version };
}

/** Audits a 4xx: the provider, the status, and the account if `found` received a linked identity. */
export async function signInWithRefusalAudit<Result>(
  db: Db,
  provider: string,
  signIn: (found: (identity: ProviderIdentity) => ProviderIdentity) => Promise<Result>,
): Promise<Result> {
  let found: ProviderIdentity | undefined;
  try {
    return await signIn((identity) => {
      found = identity;
      return identity;
    });
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) {
      const details = JSON.stringify({ provider, status: error.status });
      await db.execute(sql`
        select audit('sign_in.failed', null,
          (select user_id from user_identities
           where provider = ${found?.provider ?? null} and subject = ${found?.subject ?? null}),
          null, ${details}::jsonb, ${requestAuditJson()}::jsonb)`);
    }
    throw error;
  }
}

const noteSignInBy = async (db: Db, provider: string, person: number): Promise<void> => {
  const details = JSON.stringify({ provider });
  await db.execute(
    sql`select audit('sign_in', ${person}, ${person}, null, ${details}::jsonb, ${requestAuditJson()}::jsonb)`,
  );
};

const LinkedAccount = z.object({
  id: z.int(),
  token_version: z.int(),
  is_shut_out: z.boolean(),
});

/** The account with that address cannot be linked. */
async function refusal(db: Db, email: string): Promise<never> {
  const [account] = await db.select({ is_active: users.is_active }).from(users).where(eq(users.email, email));
  throw account?.is_active ? forbidden("account_of_someone_else") : inactiveUserError();
}
