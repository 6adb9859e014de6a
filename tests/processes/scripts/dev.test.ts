import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../scripts/dev/free-port.ts";
import { startLocalPostgres } from "../../../scripts/dev/postgres.ts";
import { demoStudent } from "../../../scripts/dev/seed/accounts.ts";
import { nodeArguments } from "../../../server/node-arguments.ts";
import { copyCode } from "../../support/code-copy.ts";
import { folderWithCurl } from "../../support/curl.ts";
import { cloneDatabase } from "../../support/database.ts";
import { createPatientServer } from "../../support/patient-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const root = path.resolve(import.meta.dirname, "../../..");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-dev-"));
  await chmod(folder, 0o755);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Run = { process: ChildProcess; output: () => string; ended: Promise<number | null> };

const running = new Set<Run>();

afterEach(async () => {
  for (const run of running) await stop(run, "SIGINT");
});

type Start = { code?: string; cwd?: string; flags?: string[] };

/** `npm run dev` as on a machine without settings, in its own folder, with this code or a copy. */
const dev = (settings: Record<string, string> = {}, { code = root, ...how }: Start = {}): Run =>
  start(path.join(code, "scripts/dev.ts"), settings, how);

function start(
  script: string,
  settings: Record<string, string>,
  { cwd = folder, flags = [] }: Pick<Start, "cwd" | "flags"> = {},
): Run {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    ...settings,
  };
  const child = spawn(process.execPath, [...nodeArguments, script, ...flags], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const started = { process: child, output: () => text, ended };
  running.add(started);
  void ended.then(() => running.delete(started));
  return started;
}

async function readyOf(run: Run): Promise<void> {
  await Promise.race([
    expect.poll(run.output).toContain("Ctrl-C stops everything"),
    run.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${run.output()}`))),
  ]);
}

async function stop(run: Run, signal: "SIGINT" | "SIGTERM"): Promise<number | null> {
  run.process.kill(signal);
  return run.ended;
}

const postmaster = () => path.join(folder, ".data/postgres/postmaster.pid");

async function listener(): Promise<{ port: number; close(): Promise<unknown> }> {
  const server = createPatientServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe("npm run dev on a database from before the first migration", () => {
  it("prints the remedy, and with --fresh starts with a new folder and keeps the old one", async () => {
    const place = path.join(folder, "before");
    const DATA_DIR = path.join(place, "data");
    const old = await startLocalPostgres({ dataDir: path.join(DATA_DIR, "postgres"), durable: false });
    const client = new pg.Client(old.url);
    await client.connect();
    await client.query(
      `create schema drizzle;
       create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
       insert into drizzle.__drizzle_migrations (hash, created_at) values ('before', 1)`,
    );
    await client.end();
    const running = dev({ DATA_DIR }, { flags: ["--fresh"] });
    expect([await running.ended, running.output()]).toEqual([
      1,
      expect.stringContaining("PostgreSQL is still running"),
    ]);
    await old.stop();

    const settings = { DATA_DIR, PORT: String(await freePort()), MAIL_FOLDER: path.join(place, "mail") };
    const refused = dev(settings);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(
      /created before version 1\.0\.0.*`npm run dev -- --fresh`, which keeps the old folder\n/,
    );
    expect(await readdir(place)).toEqual(["data"]);

    const fresh = dev(settings, { flags: ["--fresh"] });
    await readyOf(fresh);
    const [, kept = ""] = (await readdir(place)).filter((name) => name.startsWith("data"));
    expect(fresh.output()).toContain(`The old data is in ${path.join(place, kept)}`);
    expect(existsSync(path.join(place, kept, "postgres/PG_VERSION"))).toBe(true);
    expect(await stop(fresh, "SIGINT")).toBe(0);
  });
});

describe("npm run dev", () => {
  it("starts everything, shows a line that streams an answer, and stops everything on Ctrl-C", async () => {
    const port = String(await freePort());
    const run = dev({ PORT: port });
    await readyOf(run);
    for (const said of [
      `http://127.0.0.1:${port}/api/v1`,
      "/docs",
      "practice tutor",
      "platform_admin",
      "student",
    ])
      expect(run.output()).toContain(said);

    const line =
      run
        .output()
        .split("\n")
        .find((one) => one.startsWith("API=")) ?? "";
    const PATH = [await folderWithCurl(folder), process.env["PATH"]].join(path.delimiter);
    const { stdout } = await promisify(execFile)("sh", ["-c", line], { env: { PATH } });
    expect(stdout).toMatch(/^data: \{"content":"[^"]/);
    expect(stdout).toMatch(
      /"done":true,"message_id":\d+,"question":\{"questionId":"q1",.+\},"moves":\["@hint".+\]\}\n\n$/,
    );

    expect(existsSync(postmaster())).toBe(true);
    expect(await stop(run, "SIGINT")).toBe(0);
    expect(existsSync(postmaster())).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/docs`)).rejects.toThrow();
  });

  it("keeps its data, has nothing to do at its next start, and stops on SIGTERM", async () => {
    const run = dev({ PORT: String(await freePort()) });
    await readyOf(run);
    for (const work of [
      "Creating a PostgreSQL data folder",
      "migrations applied",
      "the demonstration was added",
    ])
      expect(run.output()).not.toContain(work);
    expect(run.output()).toContain("mina@northgate.example");
    expect(await stop(run, "SIGTERM")).toBe(0);
    expect(existsSync(postmaster())).toBe(false);
  });

  it("writes database, key, mail and log into DATA_DIR, and nothing into its working directory", async () => {
    const [cwd, DATA_DIR] = [path.join(folder, "started-here"), path.join(folder, "moved")];
    await mkdir(cwd);
    const base = `http://127.0.0.1:${await freePort()}`;
    const run = dev({ PORT: new URL(base).port, DATA_DIR }, { cwd });
    await readyOf(run);
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ email: demoStudent.email });
    await fetch(`${base}/api/v1/auth/password-reset`, { method: "POST", headers, body });
    await expect.poll(run.output).toContain(`is in ${path.join(DATA_DIR, "mail")}`);
    expect(await stop(run, "SIGINT")).toBe(0);
    expect(await readdir(DATA_DIR)).toEqual(["logs", "mail", "postgres", "secret-key"]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("starts the server again when its code changes, on the same database, and waits out a syntax error", async () => {
    const code = path.join(folder, "code");
    await copyCode(code);
    const health = path.join(code, "functions/platform/metrics/health.ts");
    const text = await readFile(health, "utf8");
    const base = `http://127.0.0.1:${await freePort()}`;
    const run = dev({ PORT: new URL(base).port }, { code });
    await readyOf(run);
    const postgres = await readFile(postmaster(), "utf8");
    const answer = async () => (await fetch(`${base}/healthz`).catch(() => undefined))?.text();
    expect(await answer()).toBe('{"status":"ok"}');

    await writeFile(health, `${text}\nthis is no code`);
    await expect.poll(run.output).toContain("Waiting for a change");
    expect(await answer()).toBeUndefined();

    await writeFile(health, text.replaceAll("/healthz", "/health"));
    await expect.poll(run.output).toContain("Ready again in");
    expect((await fetch(`${base}/health`)).status).toBe(200);
    expect((await fetch(`${base}/healthz`)).status).toBe(404);
    const signedIn = await fetch(`${base}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(demoStudent),
    });
    expect(signedIn.status).toBe(200);

    const listening = path.join(code, "server/http-server.ts");
    await writeFile(listening, `${await readFile(listening, "utf8")}\n`);
    await expect.poll(() => run.output().split("Ready again in").length - 1).toBe(2);
    expect(await readFile(postmaster(), "utf8")).toBe(postgres);
    expect(await stop(run, "SIGINT")).toBe(0);
    expect(existsSync(postmaster())).toBe(false);
  });

  it("says that its port is taken, and starts nothing", async () => {
    const { port, close } = await listener();
    const run = dev({ PORT: String(port) });
    expect(await run.ended).toBe(1);
    expect(run.output()).toBe(
      `Port ${port} is in use. Stop the program that listens there, or set PORT to another port\n`,
    );
    expect(existsSync(postmaster())).toBe(false);
    await close();
  });

  it("is not for production, and starts nothing there", async () => {
    const run = dev({ ENVIRONMENT: "production" });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('Run "npm start" instead');
    expect(existsSync(postmaster())).toBe(false);
  });

  it("adds no demonstration to a production database, even on request", async () => {
    const database = await cloneDatabase();
    const settings = { ENVIRONMENT: "production", DATABASE_URL: database.url };
    const seeding = start(path.join(root, "scripts/seed.ts"), settings);
    expect(await seeding.ended).toBe(1);
    expect(seeding.output()).toContain("ENVIRONMENT is production");
    expect(await database.run("select id from users")).toEqual([]);
    await database.drop();
  });

  it("adds no demonstration to another user's database, and says how to", async () => {
    const database = await cloneDatabase();
    const run = dev({ PORT: String(await freePort()), DATABASE_URL: database.url });
    await readyOf(run);
    expect(run.output()).toContain('"npm run seed" adds the demonstration');
    expect(await stop(run, "SIGINT")).toBe(0);
    expect(await database.run("select id from users")).toEqual([]);
    await database.drop();
  });

  it("lists every problem with its settings, and starts nothing", async () => {
    const run = dev({ PORT: "many", LOG_LEVEL: "LOUD", LLM_PROVIDER: "direct_api" });
    expect(await run.ended).toBe(1);
    expect(run.output().split("\n")).toEqual([
      "Configuration is invalid:",
      expect.stringMatching(/^ {2}PORT: /),
      expect.stringMatching(/^ {2}LOG_LEVEL: /),
      expect.stringMatching(/^ {2}DIRECT_API_KEY: /),
      "",
    ]);
    expect(existsSync(postmaster())).toBe(false);
  });
});
