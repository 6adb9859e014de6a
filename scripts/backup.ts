/** `npm run backup`: writes the whole database into one file. */
import path from "node:path";
import { readEnvironment } from "../server/environment.ts";
import { commandLine } from "./command-line.ts";
import { backUp } from "./ops/backup/back-up.ts";
import { isDatabaseGiven } from "./ops/database.ts";
import { runScript } from "./ops/run-script.ts";

const usage = `npm run backup -- [--to FILE]

Writes a consistent backup of the database in DATABASE_URL into a file, backups/<moment>.dump by default. The service can keep
running. Requires pg_dump of the server's version or newer and, behind a pooler, DIRECT_DATABASE_URL. The file contains personal
data; only you can read it. It does not contain the bytes of stored files: back up FILE_STORE afterwards. Keep the file elsewhere,
encrypted, and apart from SECRET_KEY. Stored cloud credentials cannot be read without that key.`;

const { flags } = commandLine({ usage, flags: { to: { type: "string" } } });
const file = path.resolve(flags.to ?? `backups/${new Date().toISOString().replaceAll(/[:.]/g, "-")}.dump`);

await runScript(async (_, directUrl) => {
  await backUp(directUrl, file);
  console.log(bytesOfFiles(readEnvironment()));
  return `The backup is in ${file}. To test it, set DATABASE_URL to an empty database and run: npm run restore -- --from ${file}`;
});

/** Location of the file contents, which the backup lacks, without the address's parameters. */
function bytesOfFiles(environment: NodeJS.ProcessEnv): string {
  const unnamed = isDatabaseGiven(environment) ? "the deployment's file store" : ".data/files";
  const source = environment["FILE_STORE"]?.trim().split("?")[0] || unnamed;
  return `The backup does not contain the bytes of stored files. Copy ${source} now, too. Removed files stay there for seven days`;
}
