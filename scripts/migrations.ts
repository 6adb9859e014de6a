/**
 * `npm run migrations:generate [-- --name prompt_sizes]`: writes the migration from the migrated tables to
 * schema/db. With `--check` it only compares, and exits with 1 if a migration is missing.
 */
import path from "node:path";
import { draftMigration, writeMigration } from "./build/migrations/generate.ts";
import { openScratchDatabase } from "./build/migrations/scratch.ts";
import { commandLine } from "./command-line.ts";

const { flags: values } = commandLine({
  usage: `npm run migrations:generate -- [--name prompt_sizes] [--check]

Writes the migration from the existing migrations to schema/db. With --check, writes nothing, and exits with 1 if a migration is
missing.`,
  flags: { name: { type: "string", default: "changes" }, check: { type: "boolean", default: false } },
});

try {
  if (!/^[a-z][a-z0-9_]*$/.test(values.name))
    throw new Error("A name must be lowercase letters, digits and _");
  await using scratch = await openScratchDatabase();
  const draft = await draftMigration(scratch.url);
  if (draft.statements.length === 0) console.log("The migrations match schema/db: nothing to write");
  else if (values.check) {
    console.error(
      `A migration is missing: run "npm run migrations:generate".\n\n${draft.statements.join("\n")}`,
    );
    process.exitCode = 1;
  } else {
    const file = await writeMigration(draft, values.name);
    console.log(`${path.relative(process.cwd(), file)} was written. Read it before you commit it`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
