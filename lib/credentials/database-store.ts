import { eq } from "drizzle-orm";
import { storedCredentials } from "../../schema/db/credentials.ts";
import type { Db } from "../db/client.ts";
import {
  type CloudKeys,
  type CredentialStore,
  type KeyOwner,
  last4,
  UnreadableCredentialsError,
} from "../llm/credential-store.ts";
import { decrypt, encrypt } from "./encryption.ts";

/** By whose they are. Each is encrypted for its owner alone: put into another's row it cannot be read. */
const nameOf = (owner: KeyOwner) => (owner === null ? "cloud" : `cloud/${owner}`);
const purposeOf = (owner: KeyOwner) =>
  owner === null ? "cloud credentials" : `cloud credentials of university ${owner}`;

const ofOwner = (owner: KeyOwner) => eq(storedCredentials.name, nameOf(owner));

const record = {
  access_key_id_last4: storedCredentials.access_key_id_last4,
  updated_at: storedCredentials.updated_at,
  updated_by: storedCredentials.updated_by,
};

/** Keeps the keys in the database, encrypted under a key that is derived from `secret`. */
export function databaseStore(db: Db, secret: string): CredentialStore {
  return {
    async read(owner) {
      const [row] = await db
        .select({ ciphertext: storedCredentials.ciphertext })
        .from(storedCredentials)
        .where(ofOwner(owner));
      return row && opened(row.ciphertext, secret, purposeOf(owner));
    },

    async describe(owner) {
      const [row] = await db.select(record).from(storedCredentials).where(ofOwner(owner));
      return row;
    },

    async write(owner, keys, { id, now }) {
      const values = {
        ciphertext: encrypt(JSON.stringify(keys), secret, purposeOf(owner)),
        access_key_id_last4: last4(keys.accessKeyId),
        updated_at: now.toISOString(),
        updated_by: id,
      };
      const [row] = await db
        .insert(storedCredentials)
        .values({ name: nameOf(owner), university_id: owner, ...values })
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

function opened(ciphertext: string, secret: string, purpose: string): CloudKeys {
  try {
    return JSON.parse(decrypt(ciphertext, secret, purpose)) as CloudKeys;
  } catch {
    throw new UnreadableCredentialsError();
  }
}
