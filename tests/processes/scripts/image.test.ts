import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { freePort } from "../../../scripts/dev/free-port.ts";
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

/** Follows the Dockerfile in a folder with this machine's Node. */
async function buildImage(): Promise<void> {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-image-"));
  await chmod(folder, 0o755);
  const instructions = instructionsOf(await readFile(path.join(root, "Dockerfile"), "utf8"));
  const stages = new Map<string, string>();
  let user = {};
  for (const { name, words, text } of instructions) {
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

const settings = () => ({
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
