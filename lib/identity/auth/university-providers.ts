import { sql } from "drizzle-orm";
import * as z from "zod";
import { type IdentityProviderKind, identityProviderKinds } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { forbidden, inactiveUniversityError, notFound } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { decryptByCurrentOrPrevious, type EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import type { ProviderIdentity } from "./identities.ts";
import { acceptInvitationsAfterSignIn, hasOpenInvitationCondition } from "./open-invitations.ts";
import type { SignedInUser } from "./register-and-login.ts";

/** `of` is absent for the platform's providers. */
export type UniversityOidcProvider = Config["OIDC_PROVIDERS"][number] & {
  of: { id: number; university_id: number };
};

/** The provider's name in URLs. Platform providers have no dot in theirs. */
export const providerLoginName = ({ university_id, name }: { university_id: number; name: string }): string =>
  `${university_id}.${name}`;

export const providerSecretEncryptionPurpose = (universityId: number): string =>
  `secret of an identity provider of university ${universityId}`;

const Listed = z.object({
  university_id: z.int(),
  name: z.string(),
  label: z.string(),
  kind: z.enum(identityProviderKinds),
});

/** For sign-in buttons. Empty if there is no such university. */
export async function listSignInProviders(
  db: ReadDb,
  universityId: number,
): Promise<{ name: string; label: string; kind: IdentityProviderKind }[]> {
  const rows = await rowsOf(
    db,
    Listed,
    sql`select university_id, name, label, kind from identity_providers
        where university_id = ${universityId} order by name`,
  );
  return rows.map((row) => ({ name: providerLoginName(row), label: row.label, kind: row.kind }));
}

const Stored = z.object({
  id: z.int(),
  university_id: z.int(),
  name: z.string(),
  label: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  secret_ciphertext: z.string(),
});

/** By its name in URLs; 404 if there is none. */
export async function findUniversityOidcProvider(
  db: Db,
  secrets: EncryptionSecrets,
  loginName: string,
): Promise<UniversityOidcProvider> {
  const [, university, name] = /^([1-9]\d{0,8})\.([a-z0-9-]{1,32})$/.exec(loginName) ?? [];
  if (!university) throw notFound("Identity provider");
  const [stored] = await rowsOf(
    db,
    Stored,
    sql`select id, university_id, name, label, issuer, client_id, secret_ciphertext from identity_providers
        where university_id = ${Number(university)} and name = ${name} and kind = 'oidc'`,
  );
  if (!stored) throw notFound("Identity provider");
  const { id, university_id, label, issuer, client_id, secret_ciphertext } = stored;
  const { text: client_secret } = decryptByCurrentOrPrevious(
    secret_ciphertext,
    secrets,
    providerSecretEncryptionPurpose(university_id),
  );
  return known(
    JSON.stringify({ name: loginName, label, issuer, client_id, client_secret, of: { id, university_id } }),
  );
}

/** The same object for the same provider, since discovery is cached by it (lib/identity/auth/oidc.ts). */
const known = memoizeLru(200, (text: string) => JSON.parse(text) as UniversityOidcProvider);

const Outcome = z.object({
  refusal: z.string().nullable(),
  person: z.int().nullable(),
  version: z.int().nullable(),
  is_offered: z.boolean(),
});

/**
 * Joins the university and accepts its open invitations. 403 for an address outside of the provider's
 * domains, or an inactive account.
 */
export async function findOrCreateUniversityUser(
  db: Db,
  { of }: UniversityOidcProvider,
  { subject, email, full_name }: ProviderIdentity,
  now: Date,
): Promise<SignedInUser> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`select refusal, person, version,
          ${hasOpenInvitationCondition(sql`${email ?? ""}`, sql`${of.university_id}::int`, now)} as is_offered
        from sign_in_by_identity_provider(${of.id}, ${subject}, ${email ?? null}, ${full_name}, ${requestAuditJson()}::jsonb)`,
  );
  if (outcome?.refusal || !outcome?.person) throw refusals[outcome?.refusal ?? "domain"]?.() ?? forbidden();
  if (outcome.is_offered) await acceptInvitationsAfterSignIn(db, outcome.person, of.university_id);
  return { id: outcome.person, token_version: outcome.version ?? 0 };
}

const refusals: Record<string, () => Error> = {
  domain: () => forbidden("address_not_vouched_for"),
  taken: () => forbidden("account_inactive_or_of_another"),
  inactive_university: inactiveUniversityError,
};
