import { hkdfSync, randomBytes } from "node:crypto";
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { accountHashKeys } from "../../../schema/db/identity/former-accounts.ts";
import type { Db } from "../../platform/db/client.ts";
import { decrypt, type EncryptionSecrets, encrypt } from "../../platform/secrets/encryption.ts";

/*
 * Erased accounts are recognized by keyed hashes (schema/functions/identity/former-accounts.sql). The key is
 * generated once and encrypted with SECRET_KEY. If SECRET_KEY is replaced without SECRET_KEY_PREVIOUS,
 * earlier erased accounts are recognized by external id only.
 */

export const accountHashKeyEncryptionPurpose = "hashes of erased accounts";

const opened = new WeakMap<Db, Promise<string>>();

/** Returns the person after matching their erased accounts. */
export const storeFormerAccountsReturningPersonSql = (person: SQL, key: string): SQL =>
  sql`find_and_store_former_accounts(${person}, ${key}::bytea)`;

/** In the database functions' format. Created on first use, read once per process. */
export function getOrCreateAccountHashKey(db: Db, secrets: EncryptionSecrets): Promise<string> {
  const known = opened.get(db);
  if (known) return known;
  const opening = findOrCreate(db, secrets).then(blocksOf);
  opened.set(db, opening);
  opening.catch(() => opened.delete(db));
  return opening;
}

/** False if there is no key. */
export async function reencryptAccountHashKey(db: Db, secrets: EncryptionSecrets): Promise<boolean> {
  const stored = await findKey(db, secrets);
  if (stored && stored.secret !== secrets.SECRET_KEY)
    await db
      .update(accountHashKeys)
      .set(encryptAccountHashKey(stored.key, secrets.SECRET_KEY))
      .where(eq(accountHashKeys.secret_mark, markOf(stored.secret)));
  return stored !== undefined;
}

async function findOrCreate(db: Db, secrets: EncryptionSecrets): Promise<string> {
  const stored = await findKey(db, secrets);
  if (stored) return stored.key;
  await db
    .insert(accountHashKeys)
    .values(encryptAccountHashKey(randomBytes(32).toString("hex"), secrets.SECRET_KEY))
    .onConflictDoNothing();
  const made = await findKey(db, secrets);
  if (!made) throw new Error("the key of account hashes was not stored");
  return made.key;
}

/** The older one, if two can be opened. */
async function findKey(
  db: Db,
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: EncryptionSecrets,
): Promise<{ key: string; secret: string } | undefined> {
  const secrets = [SECRET_KEY, ...(SECRET_KEY_PREVIOUS ? [SECRET_KEY_PREVIOUS] : [])];
  const [row] = await db
    .select({ secret_mark: accountHashKeys.secret_mark, ciphertext: accountHashKeys.ciphertext })
    .from(accountHashKeys)
    .where(inArray(accountHashKeys.secret_mark, secrets.map(markOf)))
    .orderBy(accountHashKeys.created_at, accountHashKeys.secret_mark)
    .limit(1);
  const secret = secrets.find((one) => row?.secret_mark === markOf(one));
  return row && secret
    ? { key: decrypt(row.ciphertext, secret, accountHashKeyEncryptionPurpose), secret }
    : undefined;
}

export const encryptAccountHashKey = (key: string, secret: string) => ({
  secret_mark: markOf(secret),
  ciphertext: encrypt(key, secret, accountHashKeyEncryptionPurpose),
});

/** Identifies a secret without revealing it. */
const markOf = (secret: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", `mark of ${accountHashKeyEncryptionPurpose}`, 16)).toString(
    "hex",
  );

/** The inner and outer HMAC block of a 32-byte key, as a bytea literal. */
function blocksOf(key: string): string {
  const block = Buffer.concat([Buffer.from(key, "hex"), Buffer.alloc(32)]);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return `\\x${Buffer.concat([inner, outer]).toString("hex")}`;
}
