import { sql } from "drizzle-orm";
import * as z from "zod";
import { samlSignedParts } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { decryptByCurrentOrPrevious, type EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import { providerSecretEncryptionPurpose } from "../auth/university-providers.ts";
import type { ServiceSamlKey } from "./own-certificate.ts";

const Stored = z.object({
  id: z.int(),
  university_id: z.int(),
  label: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  secret_ciphertext: z.string(),
  sso_url: z.string(),
  certificates: z.array(z.string()),
  certificate: z.string(),
  second_certificate: z.string().nullable(),
  second_secret_ciphertext: z.string().nullable(),
  scopes: z.array(z.string()),
  valid_until: z.string().nullable(),
  signed: z.enum(samlSignedParts),
  affiliation_roles: z.record(z.string(), z.string()),
});

export type SamlProvider = Omit<
  z.output<typeof Stored>,
  "client_id" | "secret_ciphertext" | "second_certificate" | "second_secret_ciphertext"
> & {
  /** The name in URLs, such as `7.campus`. */
  login_name: string;
  audience: string;
  private_key: string;
  /** A second key during a rotation, also valid for decryption. */
  second: ServiceSamlKey | undefined;
};

/** By the name in URLs; 404 if there is none. */
export async function findSamlProvider(
  db: ReadDb,
  secrets: EncryptionSecrets,
  loginName: string,
): Promise<SamlProvider> {
  const [, university, name] = /^([1-9]\d{0,8})\.([a-z0-9-]{1,32})$/.exec(loginName) ?? [];
  if (!university) throw notFound("Identity provider");
  const [stored] = await rowsOf(
    db,
    Stored,
    sql`select one.id, one.university_id, one.label, one.issuer, one.client_id, one.secret_ciphertext,
               saml.sso_url, saml.certificates, saml.certificate, saml.second_certificate,
               saml.second_secret_ciphertext, saml.valid_until::text, saml.signed,
               saml.affiliation_roles,
               case when saml.scopes <> '{}' then saml.scopes else array(
                 select domain from university_domains where university_id = one.university_id) end as scopes
        from identity_providers as one join saml_providers as saml on saml.identity_provider_id = one.id
        where one.university_id = ${Number(university)} and one.name = ${name} and one.kind = 'saml'`,
  );
  if (!stored) throw notFound("Identity provider");
  const {
    client_id: audience,
    secret_ciphertext,
    second_certificate,
    second_secret_ciphertext,
    ...provider
  } = stored;
  const opened = (ciphertext: string) =>
    decryptByCurrentOrPrevious(ciphertext, secrets, providerSecretEncryptionPurpose(provider.university_id))
      .text;
  const second =
    second_certificate !== null && second_secret_ciphertext !== null
      ? { certificate: second_certificate, private_key: opened(second_secret_ciphertext) }
      : undefined;
  return { ...provider, login_name: loginName, audience, private_key: opened(secret_ciphertext), second };
}
