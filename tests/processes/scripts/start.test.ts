import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
// biome-ignore lint/plugin: it paces requests, and no test waits for it
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { freePort } from "../../../scripts/dev/free-port.ts";
import { smoke } from "../../../scripts/ops/smoke/checks.ts";
import { seed } from "../../../scripts/seed.ts";
import { nodeArguments } from "../../../server/node-arguments.ts";
import { cloneDatabase } from "../../support/database.ts";
import { makersOf } from "../../support/makers.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { startSmtpStandIn } from "../../support/smtp-stand-in.ts";
import { openWorld } from "../../support/world.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const world = openWorld();
const make = makersOf(world);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-start-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(() => world.setNow(new Date()));

type Run = { process: ChildProcess; base: string; output: () => string; ended: Promise<number | null> };

const running = new Set<Run>();

afterAll(() => Promise.all([...running].map(end)));

async function end(run: Run): Promise<void> {
  run.process.kill("SIGTERM");
  await run.ended;
}

const directly = [process.execPath, ...nodeArguments, path.join(root, "scripts/start.ts")];

/** `npm start` as in a container: only its settings and an empty folder. */
async function start(settings: Record<string, string> = {}, command = directly): Promise<Run> {
  const port = await freePort();
  const env = {
    PATH: process.env["PATH"],
    SECRET_KEY: world.deps.config.SECRET_KEY,
    DATABASE_URL: world.deps.config.DATABASE_URL,
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "key-of-the-tests",
    DIRECT_API_MODEL: "model-of-the-tests",
    DIRECT_API_BASE_URL: world.llm.url,
    BACKEND_CORS_ORIGINS: "https://learn.example.edu",
    HOST: "127.0.0.1",
    PORT: String(port),
    WORKERS: "2",
    SHUTDOWN_DELAY_SECONDS: "0",
    LOG_FILE_ENABLED: "false",
    ...settings,
  };
  const [program = "", ...words] = command;
  const child = spawn(program, words, {
    cwd: command === directly ? folder : root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  // Unlike `exit`, not before the last output.
  const ended = once(child, "close").then(([code]) => code as number | null);
  const run = { process: child, base: `http://127.0.0.1:${port}`, output: () => text, ended };
  running.add(run);
  void ended.then(() => running.delete(run));
  return run;
}

const logOf = ({ output }: Run): Record<string, unknown>[] =>
  output()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const servingOf = (run: Run): number[] =>
  logOf(run)
    .filter(({ message }) => message === "serving")
    .map(({ pid }) => Number(pid));

async function serving(settings: Record<string, string> = {}, command = directly): Promise<Run> {
  const run = await start(settings, command);
  await Promise.race([
    vi.waitFor(() => expect(servingOf(run)).toHaveLength(2), { timeout: 240_000, interval: 50 }),
    run.ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${run.output()}`))),
  ]);
  return run;
}

const readiness = ({ base }: Run) => fetch(`${base}/readyz`, { headers: { connection: "close" } });

/** Sends a request as that person on a new connection. */
async function call({ base }: Run, person: { id: number }, target: string, body?: object) {
  const headers = {
    authorization: `Bearer ${await world.as(person).token}`,
    "content-type": "application/json",
    connection: "close",
  };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${base}/api/v1${target}`, request);
  return {
    status: response.status,
    text: () => response.text(),
    id: async () => ((await response.json()) as { id: number }).id,
  };
}

describe("a production server", () => {
  let run: Run;
  beforeAll(async () => {
    run = await serving({ SHUTDOWN_DELAY_SECONDS: "2" });
  });
  afterAll(() => end(run));

  it("serves with all of its processes, says so in one log, and shows one set of metrics", async () => {
    const person = await make.person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(run, person, "/users/me")));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await expect.poll(() => logOf(run).filter(({ path }) => path === "/api/v1/users/me")).toHaveLength(20);
    await expect
      .poll(async () => (await fetch(`${run.base}/metrics`)).text())
      .toContain('http_requests_total{method="GET",path="/api/v1/users/me",status="200"} 20');
  });

  it("bounds the heap of each of its processes", () => {
    const heaps = logOf(run).flatMap(({ heap_megabytes }) => heap_megabytes ?? []);
    expect(heaps.length).toBeGreaterThanOrEqual(2);
    for (const megabytes of heaps) expect(megabytes).toBeLessThanOrEqual(512 + 64);
  });

  it("passes the checks of a deployment, and reports each fault", async () => {
    const { item } = await make.topic();
    const email = `${make.unique("smoke")}@example.edu`;
    const account = { email, password: "learn together" };
    expect((await world.as().post("/auth/register", { ...account, full_name: "Smoke" })).status).toBe(201);
    const lines: string[] = [];
    const origin = "https://learn.example.edu";
    const asked = { ...account, item: String(item.id), origin };
    world.llm.script({ chunks: ["Hello", " there"] });
    expect([await smoke(run.base, (line) => lines.push(line), asked), lines]).toEqual([0, lines]);
    expect(lines.map((line) => line.slice(0, 4))).toEqual(Array(7).fill("  ok"));

    const wrong = { ...asked, password: "wrong", origin: "https://other.example.edu" };
    const told: string[] = [];
    expect(await smoke(run.base, (line) => told.push(line), wrong)).toBe(3);
    expect(told.join("\n")).toMatch(/allows no origin.*lacks https:\/\/other.*signing in returned 401/s);
    const silent: string[] = [];
    expect(await smoke("http://127.0.0.1:9", (line) => silent.push(line), {})).toBe(4);
    expect(silent.filter((line) => line.includes("skipped without"))).toHaveLength(3);
  });

  it("starts another process for one that was killed, and has lost nothing that it acknowledged", async () => {
    const person = await make.person();
    const acknowledged: number[] = [];
    let going = true;
    let pauseMs = 0;
    const send = async () => {
      for (; going; await sleep(pauseMs)) {
        const reply = await call(run, person, "/feature-requests", {
          title: "Dark mode",
          description: "Please",
        }).catch(() => undefined);
        if (reply?.status === 201) acknowledged.push(await reply.id());
      }
    };
    const senders = Array.from({ length: 6 }, send);
    for (const round of [1, 2]) {
      await expect.poll(() => acknowledged.length).toBeGreaterThan(round * 20);
      const before = servingOf(run);
      process.kill(before.at(-1) as number, "SIGKILL");
      // Full speed until here; now leaves the CPU to the starting process.
      pauseMs = 50;
      await expect.poll(() => servingOf(run).length).toBeGreaterThan(before.length);
      pauseMs = 0;
    }
    going = false;
    await Promise.all(senders);
    const { rows } = await world.deps.db.execute(sql`select id from feature_requests`);
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  it("on a stop signal is no longer ready, completes running answers, and exits with 0", async () => {
    const { item } = await make.topic();
    const learner = await make.person();
    const opened = await call(run, learner, "/chat/sessions", { content_item_id: item.id });
    const id = await opened.id();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const asked = world.llm.requests.length;
    world.llm.script({ chunks: ["first ", held, "last"] });
    const answer = call(run, learner, `/chat/sessions/${id}/messages`, { content: "Start." });
    await expect.poll(() => world.llm.requests.length).toBeGreaterThan(asked);

    run.process.kill("SIGTERM");
    await expect.poll(async () => (await readiness(run)).status).toBe(503);
    await expect.poll(() => readiness(run).catch(() => "no server")).toBe("no server");
    release();
    const text = await (await answer).text();
    expect(text).toContain("last");
    expect(text).toMatch(/"done":true,"message_id":\d+/);
    expect(await run.ended).toBe(0);
  });
});

describe("a production server with separate settings", () => {
  it("sends mail with one of its processes, and with another when that one is killed", async () => {
    const smtp = await startSmtpStandIn();
    const run = await serving({ SMTP_URL: smtp.url, MAIL_FROM: "L <l@example.edu>" });
    const sent = async () => {
      const { email } = await make.person();
      await call(run, await make.person(), "/auth/password-reset", { email });
      await expect.poll(() => smtp.mails.filter((mail) => mail.includes(`To: ${email}`)).length).toBe(1);
    };
    await sent();
    for (const pid of servingOf(run)) {
      const served = servingOf(run).length;
      process.kill(pid, "SIGKILL");
      await expect.poll(() => servingOf(run).length).toBe(served + 1);
    }
    await sent();
    run.process.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    await smtp.close();
  });

  it("logs its last requests, although it writes several lines at once", async () => {
    const run = await serving();
    const person = await make.person();
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(run, person, "/users/me")));
    await end(run);
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(logOf(run).filter(({ path }) => path === "/api/v1/users/me")).toHaveLength(30);
    expect(logOf(run).at(-1)).toMatchObject({ message: "stopped" });
  });

  it("ends with its first process when that one is killed, although lines of its log are not written yet", async () => {
    const run = await serving();
    const pids = servingOf(run);
    const person = await make.person();
    const path = "/users/me";
    await Promise.all(Array.from({ length: 30 }, () => call(run, person, path)));
    run.process.kill("SIGKILL");
    await call(run, person, path).catch(() => undefined);
    const isRunning = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("writes its log to files, by one process, and logs there that mail waits without a mail server", async () => {
    const logs = path.join(folder, "logs");
    const run = await serving({ ENVIRONMENT: "production", LOG_FILE_ENABLED: "true", LOG_DIR: logs });
    const person = await make.person();
    await Promise.all(Array.from({ length: 10 }, () => call(run, person, "/users/me")));
    const waits = () =>
      logOf(run).filter(({ message }) => message === "SMTP_URL is not set, so mail stays in the outbox");
    await expect.poll(waits).toHaveLength(1);
    await end(run);
    const kept = await readFile(path.join(logs, "service.log"), "utf8");
    const lines = kept
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ path }) => path === "/api/v1/users/me")).toHaveLength(10);
    expect(
      lines.filter(({ message }) => message === "SMTP_URL is not set, so mail stays in the outbox"),
    ).toHaveLength(1);
  });
});

describe("a production server started by npm", () => {
  it("is stopped with npm, and npm waits for its end", async () => {
    const run = await serving({ WORKERS: "2" }, ["npm", "start", "--ignore-scripts", "--silent"]);
    expect((await readiness(run)).status).toBe(200);
    run.process.kill("SIGTERM");
    await run.ended;
    expect(logOf(run).map(({ message }) => message)).toEqual(expect.arrayContaining(["stopping", "stopped"]));
    await expect(readiness(run)).rejects.toThrow();
  });
});

describe("a production server does not start", () => {
  const refusalOf = async (settings: Record<string, string>) => {
    const run = await start(settings);
    expect(await run.ended).toBe(1);
    return run.output();
  };

  it("on wrong settings, and lists each", async () => {
    const refusal = await refusalOf({ SECRET_KEY: "short", WORKERS: "many" });
    expect(refusal).toContain("SECRET_KEY: must have 32");
    expect(refusal).toContain("WORKERS: must be a whole number");
  });

  it("on a port that is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    expect(await refusalOf({ PORT: String(port) })).toContain(`Port ${port} is in use`);
    other.close();
  });

  it("at an address that this machine does not have", async () => {
    expect(await refusalOf({ HOST: "192.0.2.1" })).toMatch(/^Cannot listen at 192\.0\.2\.1.*HOST/);
  });

  it("without a writable log", async () => {
    const refusal = await refusalOf({ LOG_FILE_ENABLED: "true", LOG_DIR: "/proc/x" });
    expect(refusal).toMatch(/^Cannot write logs to \/proc\/x\/service\.log .*LOG_FILE_ENABLED=false\n$/);
  });

  it("in production with the demonstration's accounts, whose password is public", async () => {
    const database = await cloneDatabase();
    const connected = await connectDatabase({ url: database.url });
    await seed(connected.db, { now: new Date(), bcryptCost: 4 });
    await connected.close();
    expect(await refusalOf({ DATABASE_URL: database.url })).toContain("demonstration's accounts");
    await database.drop();
  });
});
