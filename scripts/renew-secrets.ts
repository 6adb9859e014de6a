/** `npm run renew-secrets`: encrypts secrets of the previous key under SECRET_KEY. */
import { databaseStore } from "../lib/identity/credentials/database-store.ts";
import { reencryptAccountHashKey } from "../lib/identity/identities/former-accounts.ts";
import { reencryptProviderSecrets } from "../lib/identity/universities/identity-providers.ts";
import { reencryptToolKeys } from "../lib/integrations/lti/keys.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { storedCredentials } from "../schema/db/identity/credentials.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { runScript } from "./ops/run-script.ts";

const usage = `npm run renew-secrets

Reads every stored secret in DATABASE_URL with SECRET_KEY or SECRET_KEY_PREVIOUS, and encrypts each one under SECRET_KEY. After
that, no stored secret needs SECRET_KEY_PREVIOUS. Exits with 1 if a secret cannot be read with either key.`;

commandLine({ usage });
const environment = readEnvironment();

await runScript(async (url) => {
  const { SECRET_KEY, SECRET_KEY_PREVIOUS } = environment;
  if (!SECRET_KEY) throw new Error("SECRET_KEY is required");
  const database = await connectDatabase({ url });
  try {
    const secrets = { SECRET_KEY, SECRET_KEY_PREVIOUS: SECRET_KEY_PREVIOUS || undefined };
    const store = databaseStore(database.db, secrets);
    const rows = await database.db.select({ owner: storedCredentials.university_id }).from(storedCredentials);
    for (const { owner } of rows)
      await store.read(owner).catch((error) => {
        throw new Error(`${owner === null ? "The platform's" : `University ${owner}'s`}: ${error.message}`);
      });
    const ofProviders = await reencryptProviderSecrets(database.db, secrets);
    const ofAccounts = (await reencryptAccountHashKey(database.db, secrets)) ? 1 : 0;
    const ofTool = await reencryptToolKeys(database.db, secrets);
    return `${rows.length + ofProviders + ofAccounts + ofTool} stored secrets are encrypted under SECRET_KEY`;
  } finally {
    await database.close();
  }
});
