/** `npm run restore`: what a backup holds, into an empty database. */
import { access } from "node:fs/promises";
import { openConnection } from "../lib/db/client.ts";
import { migrate } from "../lib/db/migrate.ts";
import { checkProgram, runProgram } from "./backup/programs.ts";
import { readArguments } from "./local/arguments.ts";
import { runScript } from "./local/run-script.ts";

const usage = `npm run restore -- --from FILE

Puts the backup into the database in DATABASE_URL, which must be empty, all of it or nothing, and brings it up to date. It
takes PostgreSQL's pg_restore, as new as the server. Stored cloud credentials need the SECRET_KEY of the backup's day.`;

const { values } = readArguments(usage, { from: { type: "string" } });
const { from } = values;
if (!from) {
  console.error(`--from is the file of a backup\n\n${usage}`);
  process.exit(2);
}

await runScript(async (url) => {
  await access(from).catch(() => {
    throw new Error(`There is no file ${from}`);
  });
  await checkProgram("pg_restore", url);
  await checkEmpty(url);
  const whole = ["--no-owner", "--no-privileges", "--no-comments", "--single-transaction", "--exit-on-error"];
  await runProgram("pg_restore", url, [...whole, `--dbname=${new URL(url).pathname.slice(1)}`, from]);
  const applied = await migrate(url);
  return `The backup is in the database, and ${applied} migrations that it lacked. "npm run doctor" looks at the rest`;
});

/** A database that holds something may be someone's: nothing is ever replaced. */
async function checkEmpty(url: string): Promise<void> {
  const client = await openConnection(url);
  try {
    const { rows } = await client.query(
      "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema') limit 1",
    );
    if (rows.length > 0)
      throw new Error("The database is not empty: make another, and put its address into DATABASE_URL");
  } finally {
    await client.end();
  }
}
