import { databaseStore } from "../../lib/identity/credentials/database-store.ts";
import { reencryptAccountHashKey } from "../../lib/identity/identities/former-accounts.ts";
import { reencryptProviderSecrets } from "../../lib/identity/universities/identity-providers.ts";
import { reencryptToolKeys } from "../../lib/integrations/lti/keys.ts";
import { reencryptSourceSecrets } from "../../lib/integrations/one-roster/source-secret.ts";
import type { Db } from "../../lib/platform/db/client.ts";
import type { EncryptionSecrets } from "../../lib/platform/secrets/encryption.ts";
import { storedCredentials } from "../../schema/db/identity/credentials.ts";

/** Encrypts all stored secrets under SECRET_KEY, and returns their number. Throws if neither key can read one. */
export async function renewSecrets(db: Db, secrets: EncryptionSecrets): Promise<number> {
  const store = databaseStore(db, secrets);
  const rows = await db.select({ owner: storedCredentials.university_id }).from(storedCredentials);
  for (const { owner } of rows)
    await store.read(owner).catch((error) => {
      throw new Error(`${owner === null ? "The platform's" : `University ${owner}'s`}: ${error.message}`);
    });
  const ofProviders = await reencryptProviderSecrets(db, secrets);
  const ofAccounts = (await reencryptAccountHashKey(db, secrets)) ? 1 : 0;
  const ofTool = await reencryptToolKeys(db, secrets);
  const ofSources = await reencryptSourceSecrets(db, secrets);
  return rows.length + ofProviders + ofAccounts + ofTool + ofSources;
}
