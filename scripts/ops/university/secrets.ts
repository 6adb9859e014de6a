import type pg from "pg";
import { providerSecretEncryptionPurpose } from "../../../lib/identity/auth/university-providers.ts";
import * as credentials from "../../../lib/identity/credentials/database-store.ts";
import * as accountHashes from "../../../lib/identity/identities/former-accounts.ts";
import {
  decrypt,
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../../../lib/platform/secrets/encryption.ts";

/*
 * Exported secrets are encrypted under a key that is printed but never stored, and then under the target's
 * SECRET_KEY: secrets of identity providers, cloud credentials, and the hash key of erased accounts.
 */

type Sealed =
  | { kind: "identity_provider"; id: number; sealed: string }
  | { kind: "credentials"; last4: string; updated_at: string; sealed: string }
  | { kind: "account_hashes"; sealed: string };

const purpose = "secrets of a university that moves";

/** The university's secrets as lines, readable only with that key. */
export async function sealedSecrets(
  client: pg.Client,
  university: number,
  secrets: EncryptionSecrets,
  key: string,
): Promise<string[]> {
  const sealed = (ciphertext: string, of: string) =>
    encrypt(decryptByCurrentOrPrevious(ciphertext, secrets, of).text, key, purpose);
  const providers = await client.query<{ id: number; secret_ciphertext: string }>(
    "select id, secret_ciphertext from identity_providers where university_id = $1 order by id",
    [university],
  );
  const stored = await client.query<{ ciphertext: string; access_key_id_last4: string; updated_at: Date }>(
    "select ciphertext, access_key_id_last4, updated_at from stored_credentials where university_id = $1",
    [university],
  );
  const hashes = await client.query<{ ciphertext: string }>(
    "select ciphertext from account_hash_keys order by created_at, secret_mark limit 1",
  );
  const all: Sealed[] = [
    ...providers.rows.map(({ id, secret_ciphertext }) => ({
      kind: "identity_provider" as const,
      id,
      sealed: sealed(secret_ciphertext, providerSecretEncryptionPurpose(university)),
    })),
    ...stored.rows.map(({ ciphertext, access_key_id_last4, updated_at }) => ({
      kind: "credentials" as const,
      last4: access_key_id_last4,
      updated_at: updated_at.toISOString(),
      sealed: sealed(ciphertext, credentials.credentialEncryptionPurpose(university)),
    })),
    ...hashes.rows.map(({ ciphertext }) => ({
      kind: "account_hashes" as const,
      sealed: sealed(ciphertext, accountHashes.accountHashKeyEncryptionPurpose),
    })),
  ];
  return all.map((one) => JSON.stringify(one));
}

/** The target of secrets: the new ids of the university and its identity providers. */
export type SecretsHere = { university: number; provider: (id: number) => number | null; secretKey: string };

/**
 * Stores a folder's secrets under this deployment's SECRET_KEY; returns whether imported hashes can identify
 * erased accounts. Without the key, providers' secrets must be entered again, and nothing is stored.
 */
export async function storeSecrets(
  client: pg.Client,
  lines: readonly string[],
  key: string | undefined,
  here: SecretsHere,
): Promise<boolean> {
  let findsErased = false;
  for (const line of lines) {
    const one: Sealed = JSON.parse(line);
    const text = key === undefined ? undefined : opened(one.sealed, key);
    if (one.kind === "identity_provider") await storeProvider(client, one.id, text ?? "", here);
    else if (text === undefined) continue;
    else if (one.kind === "credentials") await storeCredentials(client, one, text, here);
    else findsErased = await storeHashKey(client, text, here.secretKey);
  }
  return findsErased;
}

function opened(sealed: string, key: string): string {
  try {
    return decrypt(sealed, key, purpose);
  } catch {
    throw new Error("--key cannot decrypt the secrets. Use the key that the export printed");
  }
}

async function storeProvider(
  client: pg.Client,
  id: number,
  secret: string,
  here: SecretsHere,
): Promise<void> {
  const ciphertext = encrypt(secret, here.secretKey, providerSecretEncryptionPurpose(here.university));
  await client.query("update identity_providers set secret_ciphertext = $2 where id = $1", [
    here.provider(id),
    ciphertext,
  ]);
}

async function storeCredentials(
  client: pg.Client,
  { last4, updated_at }: { last4: string; updated_at: string },
  text: string,
  { university, secretKey }: SecretsHere,
): Promise<void> {
  const ciphertext = encrypt(text, secretKey, credentials.credentialEncryptionPurpose(university));
  await client.query(
    `insert into stored_credentials (name, university_id, ciphertext, access_key_id_last4, updated_at)
     values ($1, $2, $3, $4, $5) on conflict (name) do nothing`,
    [credentials.credentialRowName(university), university, ciphertext, last4, updated_at],
  );
}

/** Only if there is none: hashes with another key would match no account. */
async function storeHashKey(client: pg.Client, key: string, secretKey: string): Promise<boolean> {
  const { secret_mark, ciphertext } = accountHashes.encryptAccountHashKey(key, secretKey);
  const { rowCount } = await client.query(
    `insert into account_hash_keys (secret_mark, ciphertext)
     select $1, $2 where not exists (select from account_hash_keys)`,
    [secret_mark, ciphertext],
  );
  if (rowCount) return true;
  const { rows } = await client.query<{ secret_mark: string; ciphertext: string }>(
    "select secret_mark, ciphertext from account_hash_keys",
  );
  return rows.some(
    (one) =>
      one.secret_mark === secret_mark &&
      decrypt(one.ciphertext, secretKey, accountHashes.accountHashKeyEncryptionPurpose) === key,
  );
}
