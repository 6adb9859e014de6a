import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "../../tutor/chat/support.ts";

const world = openWorld({ DATABASE_ECHO: "true", METRICS_TOKEN: "a secret of those who scrape" });
const make = makersOf(world);

beforeEach(() => {
  world.log.length = 0;
});

const requestLines = () => world.log.filter((line) => "status_code" in line);

describe("the log line of a request", () => {
  it("of a stream is written once, after its end, and counts everything until then", async () => {
    const { item } = await make.topic();
    const learner = world.as(await make.person());
    const session = await openSession(learner, item.id);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.llm.script({ chunks: ["One. ", held, "Two."] });
    world.log.length = 0;

    const answer = await world.app.request(`/api/v1/chat/sessions/${session.id}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${await learner.token}` },
      body: JSON.stringify({ content: "Start." }),
    });
    const reader = answer.body?.getReader();
    await reader?.read();
    expect(requestLines()).toHaveLength(0);
    const before = world.log.filter(({ message }) => message === "query").length;
    release();
    while (!(await reader?.read())?.done);
    await expect.poll(requestLines).toHaveLength(1);
    expect(requestLines()[0]?.["db_query_count"]).toBeGreaterThan(before);
  });

  it("shows neither the query nor the token of a shared conversation", async () => {
    await world.as().get("/chat/share/dG9rZW4tb2YtYS1jb252ZXJzYXRpb24?code=abc");
    await world.app.request("/nowhere/dG9rZW4tb2YtYS1jb252ZXJzYXRpb24");
    expect(requestLines().map(({ path }) => path)).toEqual([
      "/api/v1/chat/share/[hidden]",
      "/nowhere/[hidden]",
    ]);
  });
});

describe("each line during a request", () => {
  it("carries the request's id", async () => {
    const someone = await make.person();
    world.log.length = 0;
    await world.as(someone).get("/users/me", { headers: { "x-request-id": "one-request" } });
    // Clean-up after an earlier answer belongs to another request.
    const lines = world.log.filter((line) => line["request_id"] === "one-request");
    expect(lines.map(({ message }) => message)).toEqual(["query", undefined]);
  });
});

describe("a slow query", () => {
  const slow = openWorld({ SLOW_QUERY_THRESHOLD_MS: "50" });

  it("is logged with its text and its time, and without its values", async () => {
    const value = "a-value-that-must-not-show";
    // biome-ignore lint/plugin: it is slow by the threshold, however much longer it takes
    await slow.deps.db.execute(sql`select pg_sleep(0.06), ${value}::text`);
    expect(slow.log).toMatchObject([
      { level: "WARNING", message: "slow query", text: "select pg_sleep(0.06), $1::text", failed: false },
    ]);
    expect(slow.log[0]?.["duration_ms"]).toBeGreaterThanOrEqual(50);
    expect(JSON.stringify(slow.log)).not.toContain(value);
  });
});

describe("secrets", () => {
  const secret = "correct-horse-battery-staple";

  it("never reach the log, from any input and for any failure", async () => {
    const { item } = await make.topic();
    const someone = await make.person();
    const client = world.as(someone);
    const session = await openSession(client, item.id);
    const email = `${make.unique("secret")}@example.edu`;
    const registered = await client.post("/auth/register", {
      email,
      password: secret,
      full_name: "A Person",
    });
    await client.post("/auth/login", { email, password: secret });
    await client.post("/auth/login", { email, password: `${secret}-wrong` });
    await client.post("/auth/login", { email: [secret], password: { secret } });
    await client.request("POST", "/auth/login", `{"password":"${secret}"`);
    await client.get(`/courses/?skip=${secret}&token=${secret}`);
    await client.get(`/chat/share/${secret}`);
    await client.get("/users/me", {
      headers: { cookie: `app_access_token=${secret}`, "user-agent": secret },
    });
    await client.get("/users/me", { headers: { authorization: `Bearer ${secret}` } });
    await client.get("/users/me", { headers: { "x-request-id": `${secret} not well-formed` } });
    await client.request("GET", `/${secret}/${registered.body.access_token}`);
    await session.say(`{"type":"followup","text":"${secret}"}`);
    world.llm.script({ status: 400, error: { type: "invalid_request_error", message: secret } });
    await session.say(secret);
    world.llm.script({ chunks: [secret], failure: "socket destroyed", times: 2 });
    await session.say(`again ${secret}`);
    await world.app.request("/metrics", { headers: { authorization: `Bearer ${secret}` } });

    const written = JSON.stringify(world.log);
    expect(world.log.some(({ level }) => level === "ERROR")).toBe(true);
    expect(written).not.toContain(secret);
    expect(written).not.toContain(String(await client.token));
    expect(written).not.toContain(registered.body.access_token);
    expect(written).not.toContain(registered.body.refresh_token);
  });

  it("of the settings are redacted even in the message of an error that contains them", () => {
    world.deps.log.error({ error: new Error(`refused: ${world.deps.config.SECRET_KEY}`) }, "failed");
    world.deps.log.info(`the token is ${world.deps.config.METRICS_TOKEN}`);
    expect(world.log).toMatchObject([
      { error: { message: "refused: [hidden]" } },
      { message: "the token is [hidden]" },
    ]);
  });

  it("in a statement that fails stay out of the log, though PostgreSQL quotes them", async () => {
    const failing = world.deps.db.execute(sql`select ${secret}::text::int`);
    const error = await failing.catch((thrown: unknown) => thrown);
    world.deps.log.error({ error }, "request failed");
    expect(JSON.stringify(world.log)).not.toContain(secret);
    expect(world.log.at(-1)).toMatchObject({ error: { cause: { code: "22P02" } } });
  });
});
