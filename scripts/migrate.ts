/** `npm run migrate`: brings the database up to date. */
import { migrate } from "../lib/db/migrate.ts";
import { runScript } from "./local/run-script.ts";

await runScript(async (databaseUrl) => {
  const applied = await migrate(databaseUrl);
  return applied === 0 ? "Nothing to do: the database is up to date" : `${applied} migrations applied`;
});
