/** `npm run restore`: restores a backup into an empty database. */

import { commandLine, refuse } from "./command-line.ts";
import { restoreFrom } from "./ops/backup/restore-from.ts";
import { runScript } from "./ops/run-script.ts";

const usage = `npm run restore -- --from FILE

Puts the backup into the database in DATABASE_URL, which must be empty, all of it or nothing, and brings it up to date. It
takes PostgreSQL's pg_restore, as new as the pg_dump that wrote the file, and past a pooler the same database in DIRECT_DATABASE_URL. Stored cloud credentials need the SECRET_KEY of the backup's day.`;

const { from } = commandLine({ usage, flags: { from: { type: "string" } } }).flags;
if (!from) refuse("--from is the file of a backup", usage);

await runScript(async (_, directUrl) => {
  const applied = await restoreFrom(directUrl, from);
  return `The backup is in the database, and ${applied} migrations that it lacked. "npm run doctor" looks at the rest`;
});
