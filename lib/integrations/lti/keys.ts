import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { ltiKeys } from "../../../schema/db/integrations/lti-keys.ts";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  decryptByCurrentOrPrevious,
  type EncryptionSecrets,
  encrypt,
} from "../../platform/secrets/encryption.ts";
import { createSigningKeyPair } from "../../platform/secrets/signing-key-pair.ts";

type Parts = Pick<Deps, "db" | "now"> & { config: Pick<Config, "SECRET_KEY"> };

export const toolKeyPurpose = "LTI tool key";

/** Each key signs for this time; its successor is published throughout. */
const daysOfSigning = 90;

const dayMs = 86_400_000;

const aDayBefore = (moment: Date): Date => new Date(moment.getTime() - dayMs);

/** Public columns only. */
const Published = z.object({ id: z.string(), public_jwk: z.record(z.string(), z.unknown()) });

/** The current, the next, and for a day the previous key. Empty before the first keys are made. */
export async function publicKeySet(db: ReadDb, moment: Date): Promise<{ keys: Record<string, unknown>[] }> {
  const rows = await rowsOf(
    db,
    Published,
    sql`select id, public_jwk from lti_keys as one where not exists (${laterSince(aDayBefore(moment))})
        order by serial_number`,
  );
  return { keys: rows.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id })) };
}

/** A later key than row `one` has been signing since before that moment. */
const laterSince = (moment: Date) => sql`
  select from lti_keys as later where later.serial_number > one.serial_number and later.signs_from <= ${moment.toISOString()}`;

const Newest = z.object({ serial_number: z.int(), signs_from: z.string() });

/**
 * Creates missing keys, one current and one ahead, and deletes expired ones. Concurrent runs create each
 * number once. Returns the number of created keys.
 */
export async function renewToolKeys({ db, config, now }: Parts): Promise<number> {
  const moment = now();
  const [newest] = await rowsOf(
    db,
    Newest,
    sql`with forgotten as (delete from lti_keys as one where exists (${laterSince(aDayBefore(moment))}))
        select serial_number, signs_from::text from lti_keys order by serial_number desc limit 1`,
  );
  if (newest && new Date(newest.signs_from) > moment) return 0;
  const next = newest ? newest.serial_number + 1 : 1;
  const after = new Date(moment.getTime() + daysOfSigning * dayMs);
  if (!newest) await storeKey(db, config, next, moment);
  await storeKey(db, config, newest ? next : next + 1, after);
  return newest ? 1 : 2;
}

async function storeKey(db: Db, { SECRET_KEY }: Parts["config"], serial_number: number, from: Date) {
  const { id, public_jwk, pem } = await createSigningKeyPair();
  const values = { id, serial_number, public_jwk, signs_from: from.toISOString() };
  await db
    .insert(ltiKeys)
    .values({ ...values, private_key: encrypt(pem, SECRET_KEY, toolKeyPurpose) })
    .onConflictDoNothing({ target: ltiKeys.serial_number });
}

/**
 * Re-encrypts keys under SECRET_KEY_PREVIOUS; returns the number of stored keys. Throws if neither secret
 * decrypts a key.
 */
export async function reencryptToolKeys(db: Db, secrets: EncryptionSecrets): Promise<number> {
  const { id, private_key } = ltiKeys;
  const stored = await db.select({ id, private_key }).from(ltiKeys);
  for (const one of stored) {
    const { text, isOutdated } = decryptByCurrentOrPrevious(one.private_key, secrets, toolKeyPurpose);
    if (!isOutdated) continue;
    const renewed = { private_key: encrypt(text, secrets.SECRET_KEY, toolKeyPurpose) };
    await db
      .update(ltiKeys)
      .set(renewed)
      .where(and(eq(id, one.id), eq(private_key, one.private_key)));
  }
  return stored.length;
}
