/**
 * `npm run generate [-- --name prompt_sizes]`: writes everything that is made from the code: the API document, the table
 * of permissions, what a write sets off, what the tutor is told, the packages and their use, the client, what a refusal says, and the next migration, which the name is for. With `--check` it only looks, and exits
 * with 1 when something is not current.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { writeOperations } from "../client/generate-operations.ts";
import { writeTypes } from "../client/generate-types.ts";
import { isCurrent, makeCurrent } from "./build/generated-file.ts";
import { writePackages } from "./build/packages/table.ts";
import { commandLine } from "./command-line.ts";
import { writeDocument } from "./openapi.ts";
import { writePermissions } from "./permissions.ts";
import { writeRefusals } from "./refusals.ts";
import { writeToldToTutor } from "./tutor-told.ts";
import { writeWrites } from "./writes.ts";

const root = path.resolve(import.meta.dirname, "..");
const { flags } = commandLine({
  usage: `npm run generate -- [--name prompt_sizes] [--check]

Writes the API document, the tables of permissions and packages, the client, and the next migration, which the name is for.
With --check it only looks, and exits with 1 when something is not current.`,
  flags: { name: { type: "string" }, check: { type: "boolean", default: false } },
});
const { check } = flags;

/** The client is made from the document as it is on the disk, which therefore comes first. */
const texts: [file: string, write: () => string | Promise<string>][] = [
  ["docs/openapi.json", writeDocument],
  ["docs/permissions.md", writePermissions],
  ["docs/writes.md", writeWrites],
  ["docs/tutor-told.md", writeToldToTutor],
  ["docs/packages.md", writePackages],
  ["client/api.ts", writeTypes],
  ["client/operations.ts", writeOperations],
  ["app/texts/refusals/en.json", writeRefusals],
];

for (const [file, write] of texts) {
  const text = await write();
  if (!check || (await isCurrent(file, text))) await makeCurrent(file, text);
  else fail(`${file} is not current: run "npm run generate"`);
}

const migrations = [path.join(root, "scripts/migrations.ts"), ...process.argv.slice(2)];
await promisify(execFile)(process.execPath, migrations).then(
  ({ stdout }) => console.log(stdout.trim()),
  ({ stderr }) => fail(String(stderr).trim()),
);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
