import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { userIdentities } from "../../schema/db/identities.ts";
import { users } from "../../schema/db/users.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { forbidden, inactiveUser } from "../errors.ts";

/** Who an identity provider says has signed in. */
export type Identity = {
  provider: string;
  /** The provider's own id of the person, which never changes. */
  subject: string;
  /** Normalised, and only if the provider has verified it. */
  email: string | undefined;
  full_name: string;
};

/**
 * The id of the account that is linked to the identity. The first time it is linked to the account with the
 * verified e-mail address, or to a new one. 403 for an inactive account and where there is no such address.
 */
export async function userOfIdentity(db: Db, identity: Identity): Promise<number> {
  const { provider, subject, email, full_name } = identity;
  const [linked] = await db
    .select({ id: users.id, is_active: users.is_active })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.user_id))
    .where(and(eq(userIdentities.provider, provider), eq(userIdentities.subject, subject)));
  if (linked?.is_active === false) throw inactiveUser();
  if (linked) return linked.id;
  if (!email) throw forbidden("The identity provider names no e-mail address that it has verified");
  return (await link(db, { provider, subject, email, full_name })) ?? refusal(db, email);
}

const LinkedAccount = z.object({ user_id: z.int() });

/**
 * In one statement, in which both conflicts answer what is there: of two at once the later finds the account and the
 * identity of the earlier. An account has one identity of a provider: an e-mail address may pass on to someone else,
 * whom the provider tells apart by the subject.
 */
async function link(db: Db, { provider, subject, email, full_name }: Identity): Promise<number | undefined> {
  const statement = sql`
    with account as (
      insert into users (email, full_name) values (${email}, ${full_name})
      on conflict (email) do update set email = excluded.email
        where users.is_active and not exists (
          select from user_identities as other
          where other.user_id = users.id and other.provider = ${provider} and other.subject <> ${subject})
      returning id
    )
    insert into user_identities (user_id, provider, subject)
    select id, ${provider}, ${subject} from account
    on conflict (provider, subject) do update set provider = excluded.provider
    returning user_id`;
  const [account] = await rowsOf(db, LinkedAccount, statement);
  return account?.user_id;
}

/** Why the account with that address cannot be linked. */
async function refusal(db: Db, email: string): Promise<never> {
  const [account] = await db.select({ is_active: users.is_active }).from(users).where(eq(users.email, email));
  throw account?.is_active
    ? forbidden("The account with this e-mail address belongs to someone else at the identity provider")
    : inactiveUser();
}
