/** `npm run backup`: writes the whole database into one file. */
import path from "node:path";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { backUp } from "./ops/backup/back-up.ts";
import { runScript } from "./ops/run-script.ts";

const usage = `npm run backup -- [--to FILE]

Writes the database in DATABASE_URL into a file, backups/<moment>.dump by default, while the service goes on: it is of one
moment. It takes PostgreSQL's pg_dump, as new as the server, and past a pooler its own address in DIRECT_DATABASE_URL. The file holds personal data and is readable by you alone.
It holds what is known of files, and none of their bytes: back up FILE_STORE as well, after the database.
Keep it elsewhere, encrypted, and SECRET_KEY not beside it: stored cloud credentials are of no use without it.`;

const { flags } = commandLine({ usage, flags: { to: { type: "string" } } });
const file = path.resolve(flags.to ?? `backups/${new Date().toISOString().replaceAll(/[:.]/g, "-")}.dump`);

await runScript(async (_, directUrl) => {
  await backUp(directUrl, file);
  console.log(bytesOfFiles(readEnvironment()["FILE_STORE"]));
  return `The database is in ${file}. Try it: npm run restore -- --from ${file}, with DATABASE_URL of an empty one`;
});

/** Location of the file contents, which the backup lacks, without the address's parameters. */
function bytesOfFiles(store = ""): string {
  const source = store.trim().split("?")[0] || ".data/files, where files are without FILE_STORE,";
  return `It has no bytes of files: copy ${source} as well, now that the database is safe. What is removed stays there for seven days`;
}
