import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { allEndpointGroups } from "../../../functions/groups.ts";
import { openApiPath } from "../../../lib/http/paths.ts";
import { freePort } from "../../../scripts/dev/free-port.ts";
import { demoAdministrator, demoStudent } from "../../../scripts/dev/seed/accounts.ts";
import { nodeArguments } from "../../../server/node-arguments.ts";
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
  child = spawn(process.execPath, [...nodeArguments, script, "--lambdaPort", String(lambdaPort)], {
    cwd: folder,
    env,
  });
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

async function call(path: string, { method = "GET", body, token }: Call = {}) {
  const response = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    redirect: "manual",
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

type Call = { method?: string; body?: object; token?: string };

async function signIn(account: { email: string; password: string }): Promise<string> {
  const { text } = await call("/api/v1/auth/login", { method: "POST", body: account });
  return JSON.parse(text).access_token;
}

/** Each route, with 1 for every parameter of its path. */
const routes = allEndpointGroups.flatMap((group) =>
  group.endpoints.map(({ contract }) => {
    const template = openApiPath("/api/v1", group, contract);
    return {
      ...{ group: group.mount, template, method: contract.method.toUpperCase(), kind: contract.access.kind },
      path: template.replaceAll(/\{\w+\}/g, "1"),
    };
  }),
);

it("sends every route to its function, which rejects requests without a token unless anyone may send them", async () => {
  expect(new Set(routes.map(({ group }) => group)).size).toBeGreaterThan(20);
  for (const { method, path, kind } of routes) {
    const { status, headers, text } = await call(path, { method });
    const answered = `${method} ${path}: ${status} ${text.slice(0, 200)}`;
    // The framework's own errors have no request id of the service.
    expect(headers.get("x-request-id"), answered).toMatch(/./);
    if (kind === "signed in") expect(status, answered).toBe(401);
    else expect(status, answered).toBeLessThan(500);
  }
});

it("answers an administrator's reads of each function", async () => {
  const token = await signIn(demoAdministrator);
  const lists = routes.filter(
    ({ method, kind, template }) => method === "GET" && kind !== "anyone" && !template.includes("{"),
  );
  const statuses = new Set<number>();
  for (const { path } of lists) {
    const { status, text } = await call(path, { token });
    expect(status, `${path}: ${status} ${text.slice(0, 200)}`).toBeLessThan(500);
    statuses.add(status);
  }
  expect(statuses).toContain(200);
  expect(statuses).not.toContain(401);
});

it("serves the pages and the documents", async () => {
  for (const path of ["/docs", "/redoc", "/redoc/redoc.js", "/app", "/openapi.json", "/readyz"])
    expect((await call(path)).status, path).toBe(200);
});

it("answers a chat message in one piece, in the events of the stream, and says so once", async () => {
  expect(output.split("arrives in one piece")).toHaveLength(2);
  expect(output).toContain("To see it streamed, run npm run dev");
  const token = await signIn(demoStudent);
  const send = (path: string, body: object) => call(path, { method: "POST", body, token });
  const opened = await send("/api/v1/chat/sessions", { content_item_id: 1 });
  const { id } = JSON.parse(opened.text);
  const answer = await send(`/api/v1/chat/sessions/${id}/messages`, { content: "Start." });
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
