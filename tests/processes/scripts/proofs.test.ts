import { chmod, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareCluster } from "../../support/prepared-cluster.ts";
import { startCommand } from "../../support/run-command.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** Commands of docs/commands.md that no other test runs. */
const commands: [command: string, says: RegExp][] = [
  ["npm run seed", /^The demonstration was added$/m],
  ["npm run tour", /./],
  ["npm run tour -- --trial --quick", /./],
  ["npm run check licenses", /./],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-proofs-"));
  // If the tests run as root, PostgreSQL runs as another user, who needs access.
  await chmod(folder, 0o755);
  await prepareCluster(path.join(folder, "postgres"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The environment passes on only the PATH, and a migrated database. */
const environment = () => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  DATA_DIR: folder,
  BCRYPT_COST: "4",
});

it.each(commands)("%s ends well", async (command, says) => {
  const { output } = startCommand(command.split(" "), { cwd: root, env: environment() });
  expect(await output).toMatch(says);
});
