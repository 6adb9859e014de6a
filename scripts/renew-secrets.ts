/** `npm run renew-secrets`: encrypts secrets of the previous key under SECRET_KEY. */
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { renewSecrets } from "./ops/renew-secrets.ts";
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
    return `${await renewSecrets(database.db, secrets)} stored secrets are encrypted under SECRET_KEY`;
  } finally {
    await database.close();
  }
});
