import { eq } from "drizzle-orm";
import { storedCredentials } from "../../schema/db/credentials.ts";
import type { Db } from "../db/client.ts";
import {
  type CloudKeys,
  type CredentialStore,
  last4,
  UnreadableCredentialsError,
} from "../llm/credential-store.ts";
import { decrypt, encrypt } from "./encryption.ts";

const name = "cloud";
const purpose = "cloud credentials";
const byName = eq(storedCredentials.name, name);

const record = {
  access_key_id_last4: storedCredentials.access_key_id_last4,
  updated_at: storedCredentials.updated_at,
  updated_by: storedCredentials.updated_by,
};

/** Keeps the keys in the database, encrypted under a key that is derived from `secret`. */
export function databaseStore(db: Db, secret: string): CredentialStore {
  return {
    async read() {
      const [row] = await db
        .select({ ciphertext: storedCredentials.ciphertext })
        .from(storedCredentials)
        .where(byName);
      return row && opened(row.ciphertext, secret);
    },

    async describe() {
      const [row] = await db.select(record).from(storedCredentials).where(byName);
      return row;
    },

    async write(keys, { id, now }) {
      const values = {
        ciphertext: encrypt(JSON.stringify(keys), secret, purpose),
        access_key_id_last4: last4(keys.accessKeyId),
        updated_at: now.toISOString(),
        updated_by: id,
      };
      const [row] = await db
        .insert(storedCredentials)
        .values({ name, ...values })
        .onConflictDoUpdate({ target: storedCredentials.name, set: values })
        .returning(record);
      if (!row) throw new Error("the cloud credentials were not stored");
      return row;
    },

    async remove() {
      const removed = await db
        .delete(storedCredentials)
        .where(byName)
        .returning({ name: storedCredentials.name });
      return removed.length > 0;
    },
  };
}

function opened(ciphertext: string, secret: string): CloudKeys {
  try {
    return JSON.parse(decrypt(ciphertext, secret, purpose)) as CloudKeys;
  } catch {
    throw new UnreadableCredentialsError();
  }
}
