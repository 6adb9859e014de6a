import { and, eq } from "drizzle-orm";
import { storedCredentials } from "../../../schema/db/identity/credentials.ts";
import type { Db } from "../../platform/db/client.ts";
import {
  type CloudKeys,
  type CredentialStore,
  type KeyOwner,
  last4,
  UnreadableCredentialsError,
} from "../../platform/llm/credential-store.ts";
import {
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../../platform/secrets/encryption.ts";

/** Values are encrypted for their owner: they cannot be read from another's row. */
export const credentialRowName = (owner: KeyOwner) => (owner === null ? "cloud" : `cloud/${owner}`);
export const credentialEncryptionPurpose = (owner: KeyOwner) =>
  owner === null ? "cloud credentials" : `cloud credentials of university ${owner}`;

const ofOwner = (owner: KeyOwner) => eq(storedCredentials.name, credentialRowName(owner));

const record = {
  access_key_id_last4: storedCredentials.access_key_id_last4,
  updated_at: storedCredentials.updated_at,
  updated_by: storedCredentials.updated_by,
};

/** Encrypts with a key derived from SECRET_KEY. Re-encrypts values of the previous key when read. */
export function databaseStore(db: Db, secrets: EncryptionSecrets): CredentialStore {
  const encrypted = (keys: CloudKeys, owner: KeyOwner) =>
    encrypt(JSON.stringify(keys), secrets.SECRET_KEY, credentialEncryptionPurpose(owner));

  /** Unless the credentials were replaced in between. */
  const renew = (owner: KeyOwner, old: string, keys: CloudKeys) =>
    db
      .update(storedCredentials)
      .set({ ciphertext: encrypted(keys, owner) })
      .where(and(ofOwner(owner), eq(storedCredentials.ciphertext, old)));

  return {
    async read(owner) {
      const [row] = await db
        .select({ ciphertext: storedCredentials.ciphertext })
        .from(storedCredentials)
        .where(ofOwner(owner));
      if (!row) return undefined;
      const { keys, isOutdated } = opened(row.ciphertext, secrets, credentialEncryptionPurpose(owner));
      if (isOutdated) await renew(owner, row.ciphertext, keys);
      return keys;
    },

    async describe(owner) {
      const [row] = await db.select(record).from(storedCredentials).where(ofOwner(owner));
      return row;
    },

    async write(owner, keys, { id, now }) {
      const values = {
        ciphertext: encrypted(keys, owner),
        access_key_id_last4: last4(keys.accessKeyId),
        updated_at: now.toISOString(),
        updated_by: id,
      };
      const [row] = await db
        .insert(storedCredentials)
        .values({ name: credentialRowName(owner), university_id: owner, ...values })
        .onConflictDoUpdate({ target: storedCredentials.name, set: values })
        .returning(record);
      if (!row) throw new Error("the cloud credentials were not stored");
      return row;
    },

    async remove(owner) {
      const removed = await db
        .delete(storedCredentials)
        .where(ofOwner(owner))
        .returning({ name: storedCredentials.name });
      return removed.length > 0;
    },
  };
}

function opened(ciphertext: string, secrets: EncryptionSecrets, purpose: string) {
  try {
    const { text, isOutdated } = decryptByCurrentOrPrevious(ciphertext, secrets, purpose);
    return { keys: JSON.parse(text) as CloudKeys, isOutdated };
  } catch {
    throw new UnreadableCredentialsError();
  }
}
