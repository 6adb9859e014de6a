import { type SQL, sql } from "drizzle-orm";
import type { OwnKeyStep, UniversityProvider } from "../../../schema/api/identity/identity-providers.ts";
import type { ErrorCode } from "../../error-codes.ts";
import { badRequest } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { encrypt } from "../../platform/secrets/encryption.ts";
import type { Actor } from "../auth/actor.ts";
import { providerSecretEncryptionPurpose } from "../auth/university-providers.ts";
import { generateServiceSamlKey } from "../saml/own-certificate.ts";
import {
  executeAuditedProviderChange,
  getSamlMetadataSource,
  identityProviderPathCondition,
  type ProviderDeps,
  type ProviderPath,
} from "./identity-providers.ts";
import { samlSettingsJsonSql } from "./saml-providers.ts";
import { ensureAllowedInUniversity } from "./universities.ts";

type Step = OwnKeyStep["step"];

const unfit = {
  ADD: "two_saml_keys",
  SWITCH: "one_saml_key_to_switch",
  REMOVE: "one_saml_key",
} as const satisfies Record<Step, ErrorCode>;

/**
 * Rotates the service's SAML key: adds a second key, signs with it, or removes the first. Both keys decrypt
 * while there are two. 400 if the step does not fit, for example after a concurrent one; 404 and 403 as for
 * other changes.
 */
export async function advanceSamlKeyRotation(
  { db, config, now }: ProviderDeps,
  actor: Actor,
  path: ProviderPath,
  { step }: OwnKeyStep,
): Promise<UniversityProvider> {
  await ensureAllowedInUniversity(db, actor, "identity-provider:manage", path.university_id);
  const written = held(path, step);
  const besides = step === "ADD" ? await added(config.SECRET_KEY, path, now()) : changes[step];
  const [provider] = await executeAuditedProviderChange(db, actor, "identity_provider.changed", written, {
    besides,
    saml: samlSettingsJsonSql(sql`saml`),
  });
  return provider ?? explainRefusal(db, path, step);
}

/** Locks the provider's row if the step fits: the later of two concurrent steps fails. */
const held = ({ university_id, identity_provider_id }: ProviderPath, step: Step): SQL => sql`
  update identity_providers as one set updated_at = service_now(),
    secret_ciphertext = ${step === "SWITCH" ? sql`former.second_secret_ciphertext` : sql`one.secret_ciphertext`}
  from (
    select kept.identity_provider_id, kept.second_secret_ciphertext, first.secret_ciphertext
    from saml_providers as kept join identity_providers as first on first.id = kept.identity_provider_id
    where ${identityProviderPathCondition({ university_id, identity_provider_id }, sql`first`)}
      and kept.second_certificate is ${step === "ADD" ? sql`null` : sql`not null`}
    for update
  ) as former
  where one.id = former.identity_provider_id
  returning one.*, former.secret_ciphertext as former_ciphertext`;

async function added(secretKey: string, { university_id }: ProviderPath, now: Date): Promise<SQL> {
  const { private_key, certificate } = await generateServiceSamlKey(now);
  const ciphertext = encrypt(private_key, secretKey, providerSecretEncryptionPurpose(university_id));
  return changedSaml(sql`second_certificate = ${certificate}, second_secret_ciphertext = ${ciphertext}`);
}

/** CTE `saml`: the row changed along with `written`. */
const changedSaml = (set: SQL): SQL => sql`, saml as (
  update saml_providers as kept set ${set} from written where kept.identity_provider_id = written.id returning kept.*)`;

const changes = {
  SWITCH: changedSaml(sql`certificate = kept.second_certificate, second_certificate = kept.certificate,
    second_secret_ciphertext = written.former_ciphertext`),
  REMOVE: changedSaml(sql`second_certificate = null, second_secret_ciphertext = null`),
} as const;

async function explainRefusal(db: Db, path: ProviderPath, step: Step): Promise<never> {
  const { kind } = await getSamlMetadataSource(db, path);
  throw badRequest(kind === "saml" ? unfit[step] : "not_by_saml");
}
