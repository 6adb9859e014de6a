/** `npm run migrate`: brings the database up to date. */
import { migrate } from "../lib/db/migrate.ts";
import { commandLine } from "./command-line.ts";
import { runScript } from "./local/run-script.ts";

commandLine({
  usage: "npm run migrate\n\nBrings the database of DATABASE_URL up to date; the local one without it.",
});

await runScript(async (databaseUrl) => {
  const applied = await migrate(databaseUrl);
  return applied === 0 ? "Nothing to do: the database is up to date" : `${applied} migrations applied`;
});
