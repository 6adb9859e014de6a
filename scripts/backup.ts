/** `npm run backup`: everything that the service keeps, in one file. */
import { chmod, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { checkProgram, runProgram } from "./backup/programs.ts";
import { readArguments } from "./local/arguments.ts";
import { runScript } from "./local/run-script.ts";

const usage = `npm run backup -- [--to FILE]

Writes the database in DATABASE_URL into a file, backups/<moment>.dump by default, while the service goes on: it is of one
moment. It takes PostgreSQL's pg_dump, as new as the server. The file holds personal data and is readable by you alone.
Keep it elsewhere, encrypted, and SECRET_KEY not beside it: stored cloud credentials are of no use without it.`;

const { values } = readArguments(usage, { to: { type: "string" } });
const file = path.resolve(values.to ?? `backups/${new Date().toISOString().replaceAll(/[:.]/g, "-")}.dump`);

await runScript(async (url) => {
  await checkProgram("pg_dump", url);
  await mkdir(path.dirname(file), { recursive: true });
  // Refuses to write over a backup.
  await (await open(file, "wx", 0o600)).close();
  const draft = `${file}.part`;
  try {
    await (await open(draft, "w", 0o600)).close();
    await runProgram("pg_dump", url, [
      ...["--format=custom", "--no-owner", "--no-privileges"],
      `--file=${draft}`,
    ]);
    await chmod(draft, 0o600);
    await rename(draft, file);
    return `The database is in ${file}. Try it: npm run restore -- --from ${file}, with DATABASE_URL of an empty one`;
  } catch (error) {
    await Promise.all([draft, file].map((one) => rm(one, { force: true })));
    throw error;
  }
});
