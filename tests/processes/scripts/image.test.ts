import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { freePort } from "../../../scripts/dev/free-port.ts";
import { seed } from "../../../scripts/seed.ts";
import { debianPostgres, startDebianPostgres } from "../../support/debian-postgres.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { openWorld } from "../../support/world.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const world = openWorld();
const run = promisify(execFile);

/** The user of `node:24-slim`. A run without root keeps its own user. */
const unprivileged = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

/** An image has none of this machine's compile cache. */
const { NODE_COMPILE_CACHE: _, ...environmentHere } = process.env;

/** `npm ci` uses npm's cache, filled by this repository's installation. */
const building = { ...environmentHere, npm_config_offline: "true" };

const notCached = /ENOTCACHED/;

let reason = "";

type Instruction = { name: string; words: string[]; text: string };

/** A Dockerfile's instructions, with continued lines joined. */
function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter(Boolean);
  return lines.map((line) => {
    const [name = "", ...words] = line.split(/\s+/);
    return { name, words, text: line.slice(name.length).trim() };
  });
}

let folder: string;
let service: string;
let command: string[];
let environment: Record<string, string>;
let server: ChildProcess | undefined;
let base: string;
let output = "";

beforeAll(async () => {
  await buildImage().catch((error: { stderr?: string }) => {
    if (!notCached.test(error.stderr ?? "")) throw error;
    reason = "npm's cache lacks packages of the image; run npm ci with the network first";
    console.warn(`The image is not tested: ${reason}\n${error.stderr}`);
  });
});

beforeEach(({ skip }) => skip(reason !== "", reason));

/** Changes the container's system, for which this machine has its own packages and programs of PostgreSQL. */
const isAboutSystem = (text: string): boolean => /^(apt-get|ldconfig|--from=postgres)\b/.test(text);

/** Follows the Dockerfile in a folder with this machine's Node. */
async function buildImage(): Promise<void> {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-image-"));
  await chmod(folder, 0o755);
  const instructions = instructionsOf(await readFile(path.join(root, "Dockerfile"), "utf8"));
  const stages = new Map<string, string>();
  let user = {};
  const firstOfNode = instructions.findIndex(({ words }) => words[0]?.startsWith("node:"));
  for (const { name, words, text } of instructions.slice(firstOfNode)) {
    if (isAboutSystem(text)) continue;
    if (name === "FROM") {
      service = path.join(folder, words[2] ?? "final");
      stages.set(words[2] ?? "final", service);
      await mkdir(service);
    } else if (name === "COPY") await copy(stages, service, words);
    else if (name === "RUN") await run("sh", ["-c", text], { cwd: service, env: building, ...user });
    else if (name === "USER") user = unprivileged;
    else if (name === "ENV") environment = Object.fromEntries(words.map((word) => word.split("=")));
    else if (name === "CMD") command = JSON.parse(text);
  }
  await run("chmod", ["-R", "a-w,a+rX", service]);
}

afterAll(async () => {
  if (server && server.exitCode === null) {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
  await run("chmod", ["-R", "u+w", service]);
  await rm(folder, { recursive: true, force: true });
});

/** As in .dockerignore, whose other entries the Dockerfile does not copy. */
const isSent = (file: string): boolean => !/(^|\/)(node_modules|app\/built)$/.test(file);

async function copy(stages: Map<string, string>, to: string, words: string[]): Promise<void> {
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
  const [target = "", ...sources] = words.filter((word) => !word.startsWith("--")).toReversed();
  const isFolder = target.endsWith("/");
  for (const source of sources) {
    const origin = from
      ? path.join(stages.get(from) ?? "", path.relative("/service", source))
      : path.join(root, source);
    const destination = isFolder ? path.join(to, target, path.basename(source)) : path.join(to, target);
    await mkdir(path.dirname(destination), { recursive: true });
    // Moves the packages of an earlier stage, which are many files and not needed there.
    await (from ? rename(origin, destination) : cp(origin, destination, { recursive: true, filter: isSent }));
  }
}

const settings = (): Record<string, string | undefined> => ({
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"]}`,
  ...environment,
  SECRET_KEY: world.deps.config.SECRET_KEY,
  DATABASE_URL: world.deps.config.DATABASE_URL,
  LLM_PROVIDER: "direct_api",
  DIRECT_API_KEY: "key-of-the-tests",
  DIRECT_API_BASE_URL: world.llm.url,
  SHUTDOWN_DELAY_SECONDS: "0",
});

it("has its code compiled", async () => {
  const compiled = await readdir(path.join(service, "node_modules/.cache/compiled"), { recursive: true });
  expect(compiled.length).toBeGreaterThan(1000);
});

it("migrates a database with only its own files", async () => {
  const migrated = await run(process.execPath, ["scripts/migrate.ts"], {
    cwd: service,
    env: settings(),
    ...unprivileged,
  });
  expect(migrated.stdout).toContain("Nothing to do");
});

it("explains a command's missing parts if no local database can be started", async () => {
  const { DATABASE_URL: _, ...others } = settings();
  const migrating = run(process.execPath, ["scripts/migrate.ts"], {
    cwd: service,
    env: others,
    ...unprivileged,
  });
  await expect(migrating).rejects.toMatchObject({ code: 1, stderr: "DATABASE_URL is required\n" });
});

it("serves, as a user without privileges, from read-only files", async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const [program = "", ...words] = command;
  expect(program).toBe("node");
  server = spawn(process.execPath, words, {
    cwd: service,
    env: { ...settings(), HOST: "127.0.0.1", PORT: String(port), WORKERS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    ...unprivileged,
  });
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output).toContain('"message":"serving"');
  for (const target of ["/readyz", "/docs", "/redoc/redoc.js", "/app", "/api/v1/countries/"]) {
    const answer = await fetch(base + target);
    expect(answer.status, `${target}: ${await answer.text()}`).toBe(200);
  }
});

it("smoke-tests a service with only its own files", async () => {
  const { stdout } = await operate(settings(), "smoke.ts", "--base", base);
  expect(stdout).toContain("ok  it runs, and its database is up to date");
  expect(stdout).not.toContain("  no  ");
});

/** Runs a command of the image as its user, who may write nothing but the volumes. */
const operate = (env: Record<string, string | undefined>, script: string, ...words: string[]) =>
  run(process.execPath, [path.join("scripts", script), ...words], { cwd: service, env, ...unprivileged });

it.each<[script: string, words: string[], says: RegExp]>([
  ["grant-role.ts", ["first@example.edu", "platform_admin"], /accept-invitation/],
  ["prune-cache.ts", [], /surplus nodes pruned/],
  ["renew-secrets.ts", [], /stored secrets are encrypted under SECRET_KEY/],
  ["doctor.ts", [], /^(Everything is all right|\d+ to fix)\.$/m],
])("has %s for its operator", async (script, words, says) => {
  // The doctor ends with 1 if it finds something.
  const { stdout } = await operate(settings(), script, ...words).catch(
    (failed: { stdout: string }) => failed,
  );
  expect(stdout).toMatch(says);
});

const operating = "an operator, with the programs of Debian's PostgreSQL";
describe.skipIf(!debianPostgres)(
  debianPostgres ? operating : `${operating}: skipped, it is not installed`,
  () => {
    let postgres: Awaited<ReturnType<typeof startDebianPostgres>>;
    let volume: string;
    const database = (name: string) => postgres.url.replace(/\/postgres$/, `/${name}`);
    const using = (name: string) => ({
      ...{ ...settings(), DATABASE_URL: database(name) },
      PATH: [debianPostgres, settings()["PATH"]].join(path.delimiter),
    });

    beforeAll(async () => {
      postgres = await startDebianPostgres(String(debianPostgres));
      for (const name of ["first", "second"]) await administer(`create database ${name}`);
      await administer("alter system set jit = off");
      await administer("select pg_reload_conf()");
      await migrate(database("first"));
      const { db, close } = await connectDatabase({ url: database("first") });
      await seed(db, { now: new Date(), bcryptCost: 4 });
      await db.execute("update universities set is_active = false where short_code = 'UDE'");
      await close();
      volume = await mkdtemp(path.join(scratchFolder, "learning-platform-volume-"));
      await chmod(volume, 0o777);
    });

    afterAll(async () => {
      await postgres.stop();
      await rm(volume, { recursive: true, force: true });
    });

    async function administer(statement: string): Promise<void> {
      const { db, close } = await connectDatabase({ url: postgres.url });
      await db.execute(statement);
      await close();
    }

    it("backs up a database, and restores it into another", async () => {
      const file = path.join(volume, "today.dump");
      const saved = await operate(using("first"), "backup.ts", "--to", file);
      expect(saved.stdout).toContain(`The backup is in ${file}`);
      const restored = await operate(using("second"), "restore.ts", "--from", file);
      expect(restored.stdout).toContain("The backup is restored, and 0 missing migrations were applied");
    });

    it("exports a university, removes it, and imports it again", async () => {
      const folder = path.join(volume, "UDE");
      const exported = await operate(using("first"), "university.ts", "export", "UDE", "--to", folder);
      const [, key = ""] = /--key (\S+)/.exec(exported.stdout) ?? [];
      const removed = await operate(using("first"), "university.ts", "remove", "UDE", "--yes");
      expect(removed.stdout).toContain("was removed");
      const words = ["import", "--from", folder, ...(key ? ["--key", key] : [])];
      const imported = await operate(using("first"), "university.ts", ...words);
      expect(imported.stdout).toContain("rows were imported");
    });
  },
);

it("has programs of PostgreSQL in the version of the server in compose.yaml", async () => {
  const [dockerfile, compose] = await Promise.all(
    ["Dockerfile", "compose.yaml"].map((file) => readFile(path.join(root, file), "utf8")),
  );
  const [, version] = /^ARG POSTGRES_VERSION=(\d+)$/m.exec(dockerfile ?? "") ?? [];
  const named = [...(compose ?? "").matchAll(/\$\{POSTGRES_VERSION:-(\d+)\}/g)].map(([, one]) => one);
  expect(named).toEqual([version, version]);
});

it("contains no development package, and no second Node", async () => {
  const { packages } = JSON.parse(await readFile(path.join(root, "package-lock.json"), "utf8"));
  const named = Object.keys(packages["" as never]["devDependencies"]);
  // Some are needed by shipped packages, such as the client's WebSocket package.
  const development = named.filter((name) => packages[`node_modules/${name}` as never]["dev"]);
  expect(development.length).toBeGreaterThan(10);
  const { stdout } = await run("ls", [path.join(service, "node_modules")]);
  const there = new Set(stdout.split("\n"));
  expect(development.filter((name) => there.has(name))).toEqual([]);
  expect([...there].filter((name) => name.startsWith("node-"))).toEqual([]);
});
