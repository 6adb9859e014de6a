import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LambdaHandler } from "../../lib/http/lambda/handlers.ts";
import { makersOf } from "../support/makers.ts";
import { openWorld } from "../support/world.ts";

const world = openWorld();
const make = makersOf(world);

/** Functions read the environment on import: each test imports them again, on this world's database. */
beforeEach(() => {
  vi.resetModules();
  // Functions use the real clock, so tokens must too.
  world.setNow(new Date());
  const { DATABASE_URL, SECRET_KEY, DIRECT_API_BASE_URL = "" } = world.deps.config;
  const settings = { ENVIRONMENT: "development", LOG_LEVEL: "ERROR", LLM_PROVIDER: "direct_api" };
  const own = { DATABASE_URL, SECRET_KEY, DIRECT_API_KEY: "key-of-the-tests", DIRECT_API_BASE_URL };
  for (const [name, value] of Object.entries({ ...settings, ...own })) vi.stubEnv(name, value);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

type Result = {
  statusCode: number;
  body: string;
  isBase64Encoded: boolean;
  multiValueHeaders: Record<string, string[]>;
};

/** The event of API Gateway's REST API. */
function event(httpMethod: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const sent = { host: "api.example.edu", ...(body && { "content-type": "application/json" }), ...headers };
  const multiValueHeaders = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]]));
  const query = { queryStringParameters: null, multiValueQueryStringParameters: null };
  const text = body ? JSON.stringify(body) : null;
  return {
    httpMethod,
    path,
    headers: sent,
    multiValueHeaders,
    ...query,
    body: text,
    isBase64Encoded: false,
    requestContext: {},
  };
}

const invoke = (handler: LambdaHandler, sent: ReturnType<typeof event>) =>
  handler(sent as never, {} as never) as Promise<Result>;

describe("a function", () => {
  it("answers API Gateway's events with text as text, with and without the slash that API Gateway keeps", async () => {
    const { handler } = await import("../../functions/courses/courses/handler.ts");
    for (const path of ["/api/v1/courses", "/api/v1/courses/"]) {
      const answer = await invoke(handler, event("GET", path));
      expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false, body: "[]" });
    }
  });

  it("sends each cookie as a header of its own", async () => {
    const { handler } = await import("../../functions/identity/auth/handler.ts");
    const account = { email: "ada@example.edu", password: "correct horse", full_name: "Ada" };
    const answer = await invoke(handler, event("POST", "/api/v1/auth/register", account));
    expect(answer.statusCode).toBe(201);
    expect(answer.multiValueHeaders["set-cookie"]).toHaveLength(3);
  });

  it("serves only its own group", async () => {
    const { handler } = await import("../../functions/courses/courses/handler.ts");
    expect((await invoke(handler, event("GET", "/api/v1/users/me"))).statusCode).toBe(404);
  });

  it("does not start with wrong settings", async () => {
    vi.stubEnv("LLM_PROVIDER", "");
    await expect(import("../../functions/identity/users/handler.ts")).rejects.toThrow("LLM_PROVIDER");
  });
});

describe("the chat function", () => {
  it("sends an answer piece by piece where the platform streams", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    world.llm.script({ chunks: ["Hello", held, " there", "."] });
    const { chunks, prelude } = await greet(platform(), release);
    expect(prelude()).toMatchObject({
      statusCode: 200,
      headers: { "content-type": expect.stringMatching(/^text\/event-stream/) },
    });
    expect(Object.keys(prelude().headers)).not.toContain("transfer-encoding");
    expect(chunks[0]).toBe('data: {"content":"Hello","done":false}\n\n');
    expect(chunks.join("")).toMatch(/^data: \{"content":".*"done":true,"message_id":\d+\}\n\n$/s);
  });

  it("sends it as a whole where the platform cannot stream", async () => {
    const { handler } = await import("../../functions/tutor/chat/handler.ts");
    const answer = (await handler((await message()) as never, {} as never)) as Result;
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false });
    expect(answer.body).toMatch(/"done":true,"message_id":\d+\}\n\n$/);
  });

  type Prelude = { statusCode: number; headers: Record<string, string> };

  /** A stand-in for the streaming globals of Lambda's runtime. */
  function platform() {
    let prelude: Prelude = { statusCode: 0, headers: {} };
    const from = (stream: Writable, metadata: Prelude) => {
      prelude = metadata;
      return stream;
    };
    vi.stubGlobal("awslambda", {
      streamifyResponse: (handler: unknown) => handler,
      HttpResponseStream: { from },
    });
    return () => prelude;
  }

  /** The chunks as written. Calls `onFirst` at the first. */
  async function greet(prelude: () => Prelude, onFirst: () => void) {
    const { handler } = await import("../../functions/tutor/chat/handler.ts");
    const chunks: string[] = [];
    const response = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(chunk.toString());
        onFirst();
        done();
      },
    });
    const streaming = handler as unknown as (...parts: unknown[]) => Promise<void>;
    await streaming(await message(), response, {});
    return { chunks, prelude };
  }

  /** A learner's `Start.` in a new session. */
  async function message() {
    const { item } = await make.topic();
    const learner = world.as(await make.person());
    const session = await learner.post("/chat/sessions", { content_item_id: item.id });
    const path = `/api/v1/chat/sessions/${session.body.id}/messages`;
    return event("POST", path, { content: "Start." }, { authorization: `Bearer ${await learner.token}` });
  }
});

describe("the function that sends mail", () => {
  afterEach(() => vi.useRealTimers());

  it("leaves the database alone at night, and looks when an account signs in and as long as they may be there", async () => {
    vi.stubEnv("SMTP_URL", "smtp://127.0.0.1:9");
    vi.stubEnv("MAIL_FROM", "l@example.edu");
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-10T02:05:00Z") });
    const { handler } = await import("../../functions/platform/mail/handler.ts");
    const context = { getRemainingTimeInMillis: () => 120_000 };
    const looks = async (time: string, event: object = {}) => {
      vi.setSystemTime(new Date(`2026-03-10T${time}Z`));
      return ((await handler(event, context)) as { looked?: boolean }).looked;
    };
    expect(await looks("02:05:00")).toBe(true);
    expect(await looks("02:06:00")).toBe(false);
    expect(await looks("02:30:00")).toBe(true);
    expect(await looks("02:31:00")).toBe(false);
    expect(await looks("02:31:20", { awslogs: { data: "" } })).toBe(true);
    expect(await looks("02:32:00")).toBe(true);
    expect(await looks("03:06:00")).toBe(true);
    expect(await looks("03:07:00")).toBe(false);
  });
});
