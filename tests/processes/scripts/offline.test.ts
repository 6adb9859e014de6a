import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/dev/free-port.ts";
import { demoStudent } from "../../../scripts/dev/seed/accounts.ts";
import { prepareCluster } from "../../support/prepared-cluster.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

let folder: string;
let base: string;
let child: ChildProcess;
let output = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-offline-test-"));
  await chmod(folder, 0o755);
  await prepareCluster(path.join(folder, ".data/postgres"));
  const [port, lambdaPort] = [await freePort(), await freePort()];
  base = `http://127.0.0.1:${port}`;
  const script = path.resolve(import.meta.dirname, "../../../scripts/offline.ts");
  const env = { PATH: process.env["PATH"], HOME: folder, PORT: String(port) };
  child = spawn(process.execPath, [script, "--lambdaPort", String(lambdaPort)], { cwd: folder, env });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const isReady = () => expect(output).toContain("Server ready");
  await vi.waitFor(isReady, { timeout: 500_000, interval: 100 });
});

afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function call(path: string, body?: object, token = "") {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(base + path, request);
  return { status: response.status, text: await response.text() };
}

it("serves the routes of serverless.yml as functions on the local database", async () => {
  const answers = await Promise.all(
    [
      "/api/v1/countries/",
      "/api/v1/courses",
      "/docs",
      "/redoc",
      "/redoc/redoc.js",
      "/app",
      "/openapi.json",
      "/readyz",
    ].map((path) => call(path)),
  );
  for (const answer of answers) expect(answer.status, answer.text).toBe(200);
  expect((await call("/api/v1/users/me")).status).toBe(401);
});

it("answers a chat message as a whole, in the events of the stream, and says so", async () => {
  expect(output).toContain("answers arrive complete");
  const { access_token } = JSON.parse((await call("/api/v1/auth/login", demoStudent)).text);
  const opened = await call("/api/v1/chat/sessions", { content_item_id: 1 }, access_token);
  const { id } = JSON.parse(opened.text);
  const answer = await call(`/api/v1/chat/sessions/${id}/messages`, { content: "Start." }, access_token);
  expect(answer.status).toBe(200);
  const events = answer.text
    .trimEnd()
    .split("\n\n")
    .map((event) => JSON.parse(event.slice("data: ".length)));
  expect(events.map(({ content }) => content).join("")).toContain("Welcome!");
  expect(events.filter(({ done }) => done)).toEqual([events.at(-1)]);
  expect(events.at(-1)).toMatchObject({ message_id: expect.any(Number), question: { questionId: "q1" } });
});

it("stops everything that it started", async () => {
  await stop();
  expect(existsSync(path.join(folder, ".data/postgres/PG_VERSION"))).toBe(true);
  expect(existsSync(path.join(folder, ".data/postgres/postmaster.pid"))).toBe(false);
});
