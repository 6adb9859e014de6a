import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { HttpError } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { acceptInvitationsAfterSignIn, hasOpenInvitationCondition } from "../auth/open-invitations.ts";
import type { SignedInUser } from "../auth/register-and-login.ts";
import type { Assertion } from "./assertion.ts";
import { type SamlIdentity, samlIdentityFromAssertion, summarizeAttributes } from "./identity.ts";
import type { SamlLogin } from "./login-request.ts";
import type { SamlProvider } from "./provider.ts";
import { SamlRefusal } from "./refusals.ts";
import { verifyResponseInThread } from "./verify-response-in-thread.ts";

/** 256 KB in base64. */
export const maxSamlResponseCharacters = 256 * 1024;

type Parts = Pick<Deps, "now"> & { db: Db };

/** Rejects expired metadata. */
export function ensureMetadataNotExpired({ valid_until }: SamlProvider, now: Date): void {
  if (valid_until !== null && !(Date.parse(valid_until) > now.getTime()))
    throw new SamlRefusal("metadata_expired", `it was valid until ${valid_until}`);
}

/**
 * By the response posted to `acs`. The account becomes a member of the university. Throws a `SamlRefusal`,
 * which is recorded for diagnosis.
 */
export async function signInByResponse(
  parts: Parts,
  provider: SamlProvider,
  { request_id }: SamlLogin,
  sent: { response: string; acs: string },
): Promise<SignedInUser> {
  let assertion: Assertion | undefined;
  let identity: SamlIdentity | undefined;
  let isSigned = false;
  try {
    ensureMetadataNotExpired(provider, parts.now());
    if (sent.response.length > maxSamlResponseCharacters) throw new SamlRefusal("too_large");
    const read = await readInTime(parts, provider, request_id, sent);
    isSigned = "assertion" in read || read.is_signed;
    if ("refused" in read) throw new SamlRefusal(read.refused, read.detail);
    assertion = read.assertion;
    identity = samlIdentityFromAssertion(assertion, provider);
    return await personOf(parts, provider, assertion, identity);
  } catch (error) {
    if (error instanceof SamlRefusal)
      await noteRefusal(parts.db, provider, error, { isSigned, assertion, identity });
    throw error;
  }
}

async function readInTime(
  { now }: Parts,
  { issuer, audience, certificates, private_key, second, signed }: SamlProvider,
  request_id: string,
  { response, acs: recipient }: { response: string; acs: string },
) {
  const expected = { issuer, audience, recipient, request_id, now: now().getTime() };
  const private_keys = [private_key, ...(second ? [second.private_key] : [])];
  try {
    return await verifyResponseInThread({ ...expected, response, signed, certificates, private_keys });
  } catch (error) {
    if (error instanceof SamlRefusal || !(error instanceof HttpError)) throw error;
    throw new SamlRefusal(error.status === 400 ? "malformed" : "busy", error.message);
  }
}

const Outcome = z.object({
  refusal: z.enum(["domain", "taken", "replayed", "inactive_university"]).nullable(),
  person: z.int().nullable(),
  version: z.int().nullable(),
  is_offered: z.boolean(),
});

async function personOf(
  { db, now }: Parts,
  { id, university_id }: SamlProvider,
  assertion: Assertion,
  { subject, email, full_name, role }: SamlIdentity,
): Promise<SignedInUser> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`select refusal, person, version,
          ${hasOpenInvitationCondition(sql`${email ?? ""}`, sql`${university_id}::int`, now())} as is_offered
        from sign_in_by_saml_assertion(${id}, ${fingerprint(assertion.id)}, ${subject}, ${email ?? null}, ${full_name},
          ${role ?? null}, ${JSON.stringify(summarizeAttributes(assertion))}::jsonb, ${requestAuditJson()}::jsonb)`,
  );
  if (outcome?.refusal || !outcome?.person) {
    const reason = outcome?.refusal ?? "domain";
    throw new SamlRefusal(reason, reason === "domain" ? domainOf(email) : undefined);
  }
  if (outcome.is_offered) await acceptInvitationsAfterSignIn(db, outcome.person, university_id);
  return { id: outcome.person, token_version: outcome.version ?? 0 };
}

const domainOf = (email: string | undefined): string =>
  email ? `the domain of the address is ${email.split("@")[1]}` : "there is no address";

async function noteRefusal(
  db: Db,
  { id }: SamlProvider,
  { reason, detail }: SamlRefusal,
  {
    isSigned,
    assertion,
    identity,
  }: {
    isSigned: boolean;
    assertion: Assertion | undefined;
    identity: SamlIdentity | undefined;
  },
): Promise<void> {
  const seen = assertion ? JSON.stringify(summarizeAttributes(assertion)) : null;
  await db.execute(sql`
    select count_and_audit_saml_refusal(${id}, ${reason}, ${detail?.slice(0, 500) ?? null}, ${isSigned},
      ${identity?.subject ?? null}, ${seen}::jsonb, ${requestAuditJson()}::jsonb)`);
}
