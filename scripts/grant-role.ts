/**
 * `npm run grant-role -- <email> <role> [short_code]`: the only way to create the first platform
 * administrator.
 */
import { loadConfig } from "../lib/config.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { grantRoleTo } from "./ops/grant-role.ts";
import { runScript } from "./ops/run-script.ts";
import { completeSettings } from "./ops/settings.ts";

const { words } = commandLine({
  usage: `npm run grant-role -- EMAIL ROLE [SHORT_CODE]

Grants a role to a person: platform_admin, or another role at the university with that short code. If the person has no account,
prints an invitation link, valid for seven days, that creates one.`,
  words: 3,
});
const [email, role, shortCode] = words;

await runScript(async (url) => {
  const settings = completeSettings(readEnvironment(), url, "http://127.0.0.1");
  const config = loadConfig({ SECRET_KEY: "not used here", ...settings });
  const database = await connectDatabase({ url });
  try {
    return await grantRoleTo(database.db, { email, role, shortCode }, { config, now: new Date() });
  } finally {
    await database.close();
  }
});
