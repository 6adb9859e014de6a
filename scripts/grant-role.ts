/** `npm run grant-role -- <email> <role> [short_code]`: the one way to make the first platform administrator. */
import { connectDatabase } from "../lib/db/client.ts";
import { grantRoleTo } from "./local/grant-role.ts";
import { runScript } from "./local/run-script.ts";

const [email, role, shortCode] = process.argv.slice(2);

await runScript(async (url) => {
  const database = connectDatabase({ url });
  try {
    return await grantRoleTo(database.db, { email, role, shortCode });
  } finally {
    await database.close();
  }
});
