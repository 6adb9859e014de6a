import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { EndpointGroup } from "../../lib/http/endpoint.ts";
import { openApiPath } from "../../lib/http/paths.ts";
import { FairLimit } from "../../lib/platform/async/fair-limit.ts";
import { folderOf, type PackagedService, unpackFunction } from "../../scripts/build/package-service.ts";
import { administer, neonProxyAddress } from "../support/database.ts";
import { type GatewayRequest, gatewayAnswer, gatewayEvent } from "../support/gateway.ts";
import { makersOf } from "../support/makers.ts";
import { packagedAsItIs } from "../support/packaged-service.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { openWorld } from "../support/world.ts";
import { type RuntimeFunction, startFunction } from "./runtime-function.ts";

const world = openWorld();
const make = makersOf(world);

const root = path.resolve(import.meta.dirname, "../..");

let folder: string;
let packaged: PackagedService;
const started: RuntimeFunction[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(scratchFolder, "learning-platform-functions-"));
  packaged = await packagedAsItIs(folder);
  // The functions use the real clock, so their tokens must too.
  world.setNow(new Date());
});

afterEach(() => Promise.all(started.splice(0).map((one) => one.stop())));

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a packaged function with the environment of the template, where the secret's reference is resolved. */
async function start(name: string, settings: Record<string, string> = {}): Promise<RuntimeFunction> {
  const { DATABASE_URL, SECRET_KEY, DIRECT_API_KEY, DIRECT_API_BASE_URL = "" } = world.deps.config;
  const running = await startFunction({
    folder: await unpackFunction(packaged, name),
    handler: `${folderOf(packaged, name)}/handler.handler`,
    environment: {
      ...packaged.service.provider.environment,
      // In the template these are references to its buckets and role.
      FILE_STORE: "s3://files-of-this-test?region=eu-west-2",
      CLOUD_BATCH_BUCKET: "s3://batches-of-this-test?region=eu-west-2",
      CLOUD_BATCH_ROLE_ARN: "arn:aws:iam::123456789012:role/batches",
      SECRET_SETTINGS: JSON.stringify({ DATABASE_URL, SECRET_KEY, DIRECT_API_KEY }),
      LLM_PROVIDER: "direct_api",
      DIRECT_API_BASE_URL,
      BCRYPT_COST: "4",
      ...settings,
    },
  });
  started.push(running);
  return running;
}

const ask = async (to: RuntimeFunction, request: GatewayRequest) =>
  gatewayAnswer(await to.invoke(gatewayEvent(request)));

async function groupOf(name: string): Promise<EndpointGroup> {
  const [group] = Object.values<EndpointGroup>(
    await import(path.join(root, folderOf(packaged, name), "app.ts")),
  );
  if (!group) throw new Error(`${name} has no group`);
  return group;
}

describe("every packaged function", () => {
  it("starts under AWS's runtime interface client, and answers its own operations and no others", async () => {
    const answersItsOwn = async (name: string) => {
      const group = await groupOf(name);
      const running = await start(name);
      for (const { contract } of group.endpoints) {
        const path = openApiPath("/api/v1", group, contract).replaceAll(/\{\w+\}/g, "1");
        const answer = await ask(running, { method: contract.method.toUpperCase(), path });
        expect(answer.status, `${contract.id}: ${answer.text}`).toBeLessThan(500);
        expect(answer.text, contract.id).not.toBe('{"detail":"Not Found"}');
      }
      const foreign = await ask(running, { path: "/api/v1/nothing/of/its/own" });
      expect(foreign, name).toMatchObject({ status: 404, text: '{"detail":"Not Found"}' });
      expect(running.extensions, name).toHaveLength(1);
      await running.stop();
    };
    // Scheduled functions answer no requests.
    const names = Object.keys(packaged.service.functions).filter((name) =>
      existsSync(path.join(root, folderOf(packaged, name), "app.ts")),
    );
    // Starting and stopping is mostly waiting.
    const turns = new FairLimit({ atOnce: 3 });
    await Promise.all(names.map((name) => turns.run(() => answersItsOwn(name))));
  });

  it("does not start with wrong settings, and says all that is wrong with them", async () => {
    const wrong = { LLM_PROVIDER: "", SECRET_SETTINGS: '{"SECRET_KEY":"too short to sign with"}' };
    const problems = /DATABASE_URL: is required.*LLM_PROVIDER: .*SECRET_KEY: must have 32 or more/s;
    await expect(start("users", wrong)).rejects.toThrow(problems);
    await expect(start("cache-cleanup", wrong)).rejects.toThrow(problems);
    await expect(start("users", { SECRET_SETTINGS: "{{resolve" })).rejects.toThrow("must be a JSON object");
  });
});

describe("a function behind API Gateway", () => {
  it("answers with and without the trailing slash, in every stage", async () => {
    const courses = await start("courses");
    await make.topic();
    const answers = [];
    for (const path of ["/api/v1/courses", "/api/v1/courses/", "/api/v1/courses/?skip=0&limit=1000"])
      answers.push(await ask(courses, { path }));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: answers[0]?.text });
    expect(JSON.parse(answers[0]?.text ?? "")).not.toEqual([]);
  });

  it("reads a body that arrives as base64, and headers that arrive more than once", async () => {
    const auth = await start("auth");
    const account = { email: "asa@example.edu", password: "correct horse", full_name: "Åsa 🎓" };
    const registered = await ask(auth, {
      method: "POST",
      path: "/api/v1/auth/register",
      body: account,
      base64: true,
      headers: { "X-Request-ID": "request-of-the-test", Cookie: ["theme=dark", "language=sv"] },
    });
    expect(registered.status).toBe(201);
    expect(registered.headers["x-request-id"]).toEqual(["request-of-the-test"]);
    const users = await start("users");
    const { access_token } = JSON.parse(registered.text);
    const me = await ask(users, {
      path: "/api/v1/users/me",
      headers: { Authorization: `Bearer ${access_token}` },
    });
    expect(JSON.parse(me.text)).toMatchObject({ full_name: "Åsa 🎓" });
  });

  it("sends each of the three cookies as a separate header", async () => {
    const account = { email: "ada@example.edu", password: "correct horse", full_name: "Ada" };
    const answer = await ask(await start("auth"), {
      method: "POST",
      path: "/api/v1/auth/register",
      body: account,
    });
    const cookies = answer.headers["set-cookie"] ?? [];
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) expect(cookie).toMatch(/^\w+=[^;,]+; .*Path=\/.*SameSite=Lax/);
  });

  it("rejects a common password, whose list is in the package", async () => {
    const account = { email: "eve@example.edu", password: "Dragon2026!", full_name: "Eve" };
    const auth = await start("auth", { PASSWORD_REJECT_COMMON: "true" });
    const register = (body: object) => ask(auth, { method: "POST", path: "/api/v1/auth/register", body });
    expect((await register(account)).status).toBe(422);
    expect((await register({ ...account, password: "correct horse" })).status).toBe(201);
  });

  it("serves the documentation's page and its scripts from the package", async () => {
    const docs = await start("docs");
    const page = await ask(docs, { path: "/docs" });
    expect(page.headers["content-type"]?.[0]).toMatch(/^text\/html/);
    const script = await ask(docs, { path: "/docs/swagger-ui-dist/swagger-ui-bundle.js" });
    expect(script.text.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse((await ask(docs, { path: "/openapi.json" })).text)).toHaveProperty("paths");
  });
});

describe("a function that reads files", () => {
  const post = async (name: string, person: { id: number }, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${await world.as(person).token}` };
    const { status, text } = await ask(await start(name), { method: "POST", path, body, headers });
    return { status, body: JSON.parse(text) };
  };

  it("does so in a separate thread, and returns its errors", async () => {
    const university = await make.university();
    const admin = await make.holder("university_admin", university.id);
    const path = `/api/v1/universities/${university.id}/imports`;
    const people = (csv: string) =>
      post("universities", admin, path, { format: "CSV", dry_run: true, files: { "people.csv": csv } });
    expect(await people("email,full_name\nada@example.edu,Ada")).toMatchObject({
      status: 201,
      body: { total: 1, offered: 1 },
    });
    expect(await people("a,".repeat(300))).toMatchObject({
      status: 422,
      body: { detail: [{ msg: "File should have at most 200 columns" }] },
    });
    const { pool } = await make.questionPool(await make.course(university.id));
    const qti = `/api/v1/assessments/question-pools/${pool.id}/import/qti`;
    expect(
      await post("assessments", admin, qti, { files: [{ name: "a.xml", xml: "<manifest/>" }] }),
    ).toMatchObject({
      status: 200,
      body: { results: [{ outcome: "ignored" }] },
    });
  });
});

describe("the chat function", () => {
  it("sends its prelude, then the answer piece by piece as the LLM writes it", async () => {
    const chat = await start("chat");
    // The LLM continues only after its previous text has arrived.
    const heard = { Hello: Promise.withResolvers<void>(), there: Promise.withResolvers<void>() };
    world.llm.script({ chunks: ["Hello", heard.Hello.promise, " there", heard.there.promise, ", Ada", "."] });
    const outcome = await chat.invoke(gatewayEvent(await greeting()), (piece) => {
      for (const [word, { resolve }] of Object.entries(heard)) if (piece.includes(word)) resolve();
    });
    const { status, headers, text } = gatewayAnswer(outcome);
    expect(status).toBe(200);
    expect(headers["content-type"]?.[0]).toMatch(/^text\/event-stream/);
    expect(Object.keys(headers)).not.toContain("transfer-encoding");
    expect(text).toMatch(/^data: \{"content":"Hello","done":false\}\n\n/);
    expect(text).toMatch(/"done":true,"message_id":\d+\}\n\n$/);
    expect(outcome).toMatchObject({ kind: "streamed", brokenOff: false });
  });

  it("streams its complete responses too, also errors", async () => {
    const chat = await start("chat");
    const refused = await ask(chat, { path: "/api/v1/chat/sessions" });
    expect(refused).toMatchObject({ status: 401, text: '{"detail":"Could not validate credentials"}' });
    expect(refused.headers["www-authenticate"]).toEqual(["Bearer"]);
  });

  /** A learner's `Start.` in a new session. */
  async function greeting(): Promise<GatewayRequest> {
    const { item } = await make.topic();
    const learner = world.as(await make.person());
    const session = await learner.post("/chat/sessions", { content_item_id: item.id });
    const path = `/api/v1/chat/sessions/${session.body.id}/messages`;
    const headers = { Authorization: `Bearer ${await learner.token}` };
    return { method: "POST", path, body: { content: "Start." }, headers };
  }
});

describe("a function of the daily schedule", () => {
  it.each([
    ["cache-cleanup", { pruned: { finished: true } }],
    ["maintenance", { forgotten_imports: 0, rolled_up: expect.anything() }],
  ])("%s does its jobs, and says what it did", async (name, result) => {
    const running = await start(name);
    const schedule = { source: "aws.events", "detail-type": "Scheduled Event", detail: {}, resources: [] };
    expect(await running.invoke(schedule)).toMatchObject({ kind: "buffered", result });
    expect(running.log()).toContain("a daily job ran");
  });
});

describe.each(["pg", "neon"] as const)("a function that was frozen, through %s", (driver) => {
  it("answers the next request after the server has ended its connections", async () => {
    const proxy = neonProxyAddress(driver);
    const running = await start("auth", proxy ? { NEON_LOCAL_PROXY: proxy } : {});
    const login = async (email: string) => {
      const body = { email, password: "correct horse", full_name: "Grace" };
      return (await ask(running, { method: "POST", path: "/api/v1/auth/register", body })).status;
    };
    expect(await login(`before-${driver}@example.edu`)).toBe(201);
    running.freeze();
    const name = new URL(world.deps.config.DATABASE_URL).pathname.slice(1);
    const connections = `from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
    await administer(`select pg_terminate_backend(pid, 60_000) ${connections}`);
    running.thaw();
    expect(await login(`after-${driver}@example.edu`)).toBe(201);
  });
});
