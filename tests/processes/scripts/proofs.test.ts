import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareCluster } from "../../support/prepared-cluster.ts";
import { startCommand } from "../../support/run-command.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** How a proof command of docs/commands.md is tested: in this file, in others, or not. */
type Run = "here" | { by: string; only?: string } | { left: string };

const runs: Record<string, Run> = {
  "npm run test:all": { by: ".ci/run" },
  "npm run check": { by: ".ci/run" },
  "npm test": { left: "a part of `npm run test:all`" },
  "npm test -- --project api-neon": { left: "the API's tests once more, some minutes" },
  "npm test -- --project api-pooled": { left: "the API's tests once more, some minutes" },
  "npx node proof/mutation-check/run.ts": { left: "an hour, and alone on the machine" },
  "npm run bench": { by: "tests/processes/scripts/bench.test.ts", only: "that answers are alike" },
  "npm run bench -- --memory": { left: "two minutes, and alone on the machine" },
  "npm run bench -- --blocking": { left: "its times mean nothing beside other tests" },
  "npm run bench -- --files": {
    by: "tests/processes/scripts/bench.test.ts",
    only: "the bytes that go through the process, with smaller files",
  },
  "npm run bench -- --floods": {
    by: "tests/processes/scripts/floods.test.ts",
    only: "half a second of each",
  },
  "npm run bench -- --trials": { left: "a minute, and alone on the machine" },
  "npm run bench -- --lti": { left: "two minutes, and alone on the machine" },
  "npm run bench -- --scim": { left: "minutes, and alone on the machine" },
  "npm run bench -- --saml": { left: "its times mean nothing beside other tests" },
  "npm run bench -- --neon": { left: "two minutes, and alone on the machine" },
  "npm run bench -- --scale": { by: "tests/db/scripts/scale-data.test.ts", only: "a small platform" },
  "npm run bench -- --decade": { left: "minutes" },
  "npm run bench -- --upgrade": { by: "tests/db/scripts/upgrade.test.ts", only: "ten thousand rows" },
  "npm run bench -- --visit": { left: "two minutes, and it writes what it measures" },
  "npm run bench -- --reports": { by: "tests/db/scripts/activity.test.ts", only: "few events" },
  "npm run chaos -- --minutes 3 --learners 50": {
    by: "tests/processes/chaos.test.ts",
    only: "a shorter time",
  },
  "npm run term -- --people 300": {
    by: "tests/processes/scripts/term.test.ts",
    only: "18 people in four weeks",
  },
  "npm run interop clients": {
    left: "it installs what it generates with from the registries of four languages",
  },
  "npm run interop files": { left: "it builds a store with Go" },
  "npm run interop imports": { left: "it fetches three programs from PyPI" },
  "npm run interop lti": { left: "it fetches an LMS from PyPI" },
  "npm run interop lti-tools": { left: "it fetches a tool from PyPI" },
  "npm run interop scim": { left: "it fetches two programs from PyPI" },
  "npm run interop xapi": { left: "it fetches a program from PyPI" },
  "npm run interop sso": { left: "it fetches Keycloak from Maven, and needs Java" },
  "npm run interop aws": { left: "it fetches a program from PyPI" },
  "npm run package": { by: "tests/repo/lambda.test.ts" },
  "npm run package-report": { by: "tests/repo/lambda.test.ts", only: "sizes" },
  "npm run tour": "here",
  "npm run smoke": { by: "tests/processes/scripts/start.test.ts" },
  "npm run doctor": { by: "tests/db/scripts/doctor.test.ts" },
  "npm run check licenses": "here",
};

it("each proof command has a test, or a reason for none", async () => {
  const page = await readFile(path.join(root, "docs/commands.md"), "utf8");
  const [section = ""] = /^## Prove it$.*?(?=^## )/ms.exec(page) ?? [];
  const listed = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command),
  );
  expect(Object.keys(runs)).toEqual(listed);
  for (const run of Object.values(runs))
    if (run !== "here" && "by" in run) expect(existsSync(path.join(root, run.by)), run.by).toBe(true);
});

const short = [
  ...Object.keys(runs).filter((command) => runs[command] === "here"),
  "npm run tour -- --trial --quick",
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

it.each(short)("%s ends well", async (command) => {
  const { output } = startCommand(command.split(" "), { cwd: root, env: environment() });
  expect(await output).not.toBe("");
});
