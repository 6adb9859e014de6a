import { and, eq } from "drizzle-orm";
import { oneRosterSources } from "../../../schema/db/integrations/one-roster.ts";
import type { Db } from "../../platform/db/client.ts";
import {
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../../platform/secrets/encryption.ts";

const purposeOf = (university: number): string =>
  `client secret of a OneRoster source of university ${university}`;

export const encryptSourceSecret = (
  secret: string,
  university: number,
  { SECRET_KEY }: EncryptionSecrets,
): string => encrypt(secret, SECRET_KEY, purposeOf(university));

type Stored = { university_id: number; secret_ciphertext: string };

export const decryptSourceSecret = (
  { university_id, secret_ciphertext }: Stored,
  secrets: EncryptionSecrets,
): string => decryptByCurrentOrPrevious(secret_ciphertext, secrets, purposeOf(university_id)).text;

/** Re-encrypts secrets that still use the previous SECRET_KEY. Returns the number of stored secrets. */
export async function reencryptSourceSecrets(db: Db, secrets: EncryptionSecrets): Promise<number> {
  const { id, university_id, secret_ciphertext } = oneRosterSources;
  const rows = await db.select({ id, university_id, secret_ciphertext }).from(oneRosterSources).orderBy(id);
  for (const row of rows) {
    const { text, isOutdated } = decryptByCurrentOrPrevious(
      row.secret_ciphertext,
      secrets,
      purposeOf(row.university_id),
    );
    if (isOutdated)
      await db
        .update(oneRosterSources)
        .set({ secret_ciphertext: encryptSourceSecret(text, row.university_id, secrets) })
        .where(and(eq(id, row.id), eq(secret_ciphertext, row.secret_ciphertext)));
  }
  return rows.length;
}
