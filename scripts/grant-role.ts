/** `npm run grant-role -- <email> <role> [short_code]`: the one way to make the first platform administrator. */
import { connectDatabase } from "../lib/db/driver/connect.ts";
import { commandLine } from "./command-line.ts";
import { grantRoleTo } from "./ops/grant-role.ts";
import { runScript } from "./ops/run-script.ts";

const { words } = commandLine({
  usage: `npm run grant-role -- EMAIL ROLE [SHORT_CODE]

Grants someone who has registered a role: platform_admin, or another one at the university with that short code.`,
  words: 3,
});
const [email, role, shortCode] = words;

await runScript(async (url) => {
  const database = await connectDatabase({ url });
  try {
    return await grantRoleTo(database.db, { email, role, shortCode });
  } finally {
    await database.close();
  }
});
