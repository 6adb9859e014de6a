/** `npm run restore`: restores a backup into an empty database. */

import { commandLine, refuse } from "./command-line.ts";
import { restoreFrom } from "./ops/backup/restore-from.ts";
import { runScript } from "./ops/run-script.ts";

const usage = `npm run restore -- --from FILE

Restores the backup into the empty database in DATABASE_URL, in one transaction, and then migrates it. Requires pg_restore of the
version of pg_dump that wrote the file, or newer and, behind a pooler, DIRECT_DATABASE_URL. To read stored cloud credentials, set
SECRET_KEY to the key that was used at the time of the backup.`;

const { from } = commandLine({ usage, flags: { from: { type: "string" } } }).flags;
if (!from) refuse("--from must name the file of a backup", usage);

await runScript(async (_, directUrl) => {
  const applied = await restoreFrom(directUrl, from);
  return `The backup is restored, and ${applied} missing migrations were applied. Run "npm run doctor" to check the rest`;
});
