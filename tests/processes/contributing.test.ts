import { appendFile, chmod, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyCode } from "../support/code-copy.ts";
import { startCommand } from "../support/run-command.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const guide = await readFile(path.resolve(import.meta.dirname, "../../CONTRIBUTING.md"), "utf8");

/** The guide's commands: lines of `sh` blocks without comments, and commands in sentences. */
const commands = new Set([
  ...[...guide.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block.split("\n").flatMap((line) => line.replace(/ +#.*/, "") || []),
  ),
  ...[...guide.matchAll(/`((?:npm|node|npx) [^`]+)`/g)].map(([, command = ""]) => command),
]);

/** Run elsewhere, and too slow to run twice. */
const leftToOthers = {
  "npm ci": ".ci/run",
  "npm run check": ".ci/run",
  "npm run check functions": ".ci/run, as a part of npm run check",
  "npm run check prose": ".ci/run, as a part of npm run check",
  "npm test": ".ci/run, as a part of all tests",
  "npm run test:all": ".ci/run",
  "npm run test:all -- tests/repo/guards.test.ts": ".ci/run, with all others",
  "npm run app": "each run of the tests that has a database, before anything else",
  "npm ci && npm run dev": ".ci/run, and tests/processes/scripts/dev.test.ts",
  "npm run dev": "tests/processes/scripts/dev.test.ts",
  "npm run migrate": "tests/processes/scripts/image.test.ts, as the image does",
};

let folder: string;
let code: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-contributing-"));
  await chmod(folder, 0o755);
  code = path.join(folder, "code");
  await copyCode(code, [
    "tests",
    "vitest.config.ts",
    "vitest.all.config.ts",
    "tsconfig.json",
    "biome.json",
    "no-clock.grit",
    "serverless.yml",
    "compose.yaml",
    ".env.example",
    ".gitignore",
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The environment passes on only the PATH to this run's Node. */
const environment = () => ({
  PATH: [path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter),
  HOME: folder,
  NO_COLOR: "1",
  npm_config_update_notifier: "false",
});

const followed = new Set<string>();

/** Runs a guide's command in the copy, with extra arguments. Returns its output. */
async function follow(command: string, narrowing = ""): Promise<string> {
  followed.add(command);
  return startCommand(["sh", "-c", command + narrowing], { cwd: code, env: environment() }).output;
}

const textOf = (file: string) => readFile(path.join(code, file), "utf8");

async function change(file: string, from: string, to: string): Promise<void> {
  const text = await textOf(file);
  expect(text).toContain(from);
  await writeFile(path.join(code, file), text.replace(from, to));
}

describe("the contributor's guide", () => {
  it("runs one test, one file, or one project", async () => {
    expect(await follow("npm test -- tests/unit/identity/rbac/policy.test.ts")).toMatch(/Tests +\d+ passed/);
    const subjects = "npm test -- tests/api/courses/catalog/subjects.test.ts";
    followed.add(subjects);
    expect(await follow(`${subjects} -t depth`)).toMatch(/Tests +\d+ passed \| \d+ skipped/);
    const pure = await follow(
      "npm test -- --project pure",
      " tests/unit/identity/rbac tests/db/platform/migrations",
    );
    expect(pure).toMatch(/Test Files +1 passed \(1\)/);
    await follow(
      "npm run test:coverage",
      " -- tests/unit/identity/rbac '--coverage.include=lib/identity/rbac/*'",
    );
    expect(await textOf("coverage/index.html")).toContain("policy.ts");
  });

  it("runs tests again after each change", async () => {
    const command = "npm run test:watch -- tests/unit/identity/rbac";
    followed.add(command);
    const watch = startCommand(["sh", "-c", `exec ${command}`], { cwd: code, env: environment() });
    let said = "";
    watch.onOutput((piece) => (said += piece));
    await expect.poll(() => said).toContain("Waiting for file changes");
    said = "";
    const now = new Date();
    await utimes(path.join(code, "lib/identity/rbac/policy.ts"), now, now);
    await expect.poll(() => said).toMatch(/RERUN[\s\S]+policy\.test\.ts/);
  });

  it("writes the generated files of an operation and a table", async () => {
    await change("functions/courses/courses/courses.ts", 'summary: "', 'summary: "Anew: ');
    await change("schema/db/courses/subjects.ts", "name: ", "motto: text(),\n    name: ");
    const migrate = "npm run migrations:generate -- --name what_it_is_for";
    followed.add(migrate);
    // It passes its arguments on.
    const said = await follow("npm run generate", " -- --name what_it_is_for");
    expect(said).toContain("docs/reference/openapi.json was updated");
    expect(await textOf("client/api.ts")).toContain("Anew: ");
    const migration = (await readdir(path.join(code, "schema/migrations"))).find((name) =>
      name.endsWith("what_it_is_for.sql"),
    );
    expect(await textOf(`schema/migrations/${migration}`)).toContain('ADD COLUMN "motto" text');
  });

  it("puts right how code is written", async () => {
    const file = "lib/identity/rbac/policy.ts";
    const text = await textOf(file);
    for (const part of [
      "app",
      "client",
      "docs",
      "functions",
      "proof",
      "schema",
      "scripts",
      "server",
      "tests",
    ])
      await rm(path.join(code, part), { recursive: true });
    await appendFile(path.join(code, file), "\n\n\n");
    await follow("npm run fix");
    expect(await textOf(file)).toBe(text);
  });

  it("names only these commands, and those that others run", () => {
    expect([...commands].toSorted()).toEqual([...followed, ...Object.keys(leftToOthers)].toSorted());
  });
});
