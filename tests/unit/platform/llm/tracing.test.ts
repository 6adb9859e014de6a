import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { loadConfig } from "../../../../lib/config.ts";
import { chooseTracer } from "../../../../lib/platform/llm/langfuse.ts";
import { LlmError, type LlmEvent, type LlmProvider } from "../../../../lib/platform/llm/provider.ts";
import { tracedProvider } from "../../../../lib/platform/llm/traced.ts";
import { noTracer, type Tracer } from "../../../../lib/platform/llm/tracer.ts";
import { createLog } from "../../../../lib/platform/logging/log.ts";
import { freezeTime, isPending } from "../../../support/frozen-time.ts";
import { type LangfuseStandIn, startLangfuseStandIn } from "../../../support/langfuse-stand-in.ts";

const secretKey = "sk-lf-the-secret-key-of-this-test";

let langfuse: LangfuseStandIn;
beforeAll(async () => {
  langfuse = await startLangfuseStandIn();
});
beforeEach(() => langfuse.reset());
afterAll(() => langfuse.close());

/** A tracer with these settings, by default on Lambda, where each trace is sent immediately. */
function tracerOf(settings: Record<string, string> = {}, log: string[] = []): Tracer {
  const config = loadConfig({
    ENVIRONMENT: "development",
    DATABASE_URL: "postgresql://nobody@localhost/none",
    SECRET_KEY: "a secret",
    LLM_PROVIDER: "cloud_managed",
    APP_VERSION: "1.2.3",
    OBS_PUBLIC_KEY: "pk-of-this-test",
    OBS_SECRET_KEY: secretKey,
    OBS_HOST: langfuse.url,
    AWS_LAMBDA_FUNCTION_NAME: "chat",
    ...settings,
  });
  return chooseTracer(config, createLog(config, { write: (line) => void log.push(line) }));
}

const end: LlmEvent = {
  type: "end",
  complete: true,
  stop_reason: "end_turn",
  input_tokens: 12,
  output_tokens: 3,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};
const answer: LlmEvent[] = [
  { type: "text", text: "A derivative" },
  { type: "text", text: " is a slope." },
  end,
];

const request = {
  model: "model-one",
  system: "You are a tutor.",
  messages: [{ role: "user" as const, content: "What is a derivative?" }],
  trace: { session_id: 7, user_id: 42, prompt_name: "tutor-lesson", prompt_version: 3 },
};

const saying = (events: LlmEvent[], failure?: Error): LlmProvider => ({
  name: "direct_api",
  defaultModel: "model-one",
  async *stream() {
    yield* events;
    if (failure) throw failure;
  },
});

async function call(tracer: Tracer, provider: LlmProvider = saying(answer)): Promise<LlmEvent[]> {
  return Array.fromAsync(tracedProvider(provider, tracer).stream(request));
}

async function spanOf(provider: LlmProvider) {
  const tracer = tracerOf();
  await call(tracer, provider).catch(() => undefined);
  await tracer.flush();
  const [span] = await langfuse.spans(1);
  return span;
}

describe("a trace", () => {
  it("is one generation with its session, prompt, model, and tokens", async () => {
    const span = await spanOf(saying(answer));
    expect(span).toMatchObject({ name: "tutor answer", parentSpanId: undefined });
    expect(span?.attributes).toEqual({
      "langfuse.observation.type": "generation",
      "langfuse.trace.name": "tutor answer",
      "session.id": "7",
      "user.id": "42",
      "langfuse.observation.prompt.name": "tutor-lesson",
      "langfuse.observation.prompt.version": 3,
      "langfuse.observation.model.name": "model-one",
      "langfuse.observation.usage_details": '{"input":12,"output":3}',
      "langfuse.observation.level": "DEFAULT",
      "langfuse.observation.completion_start_time": expect.stringMatching(/^"20.*Z"$/),
      "langfuse.observation.metadata.provider": "direct_api",
      "langfuse.observation.metadata.end": "complete",
      "langfuse.observation.metadata.stop_reason": "end_turn",
      "langfuse.observation.metadata.prompt_name": "tutor-lesson",
      "langfuse.observation.metadata.prompt_version": 3,
    });
    expect(langfuse.deliveries).toMatchObject([
      {
        authorization: `Basic ${btoa(`pk-of-this-test:${secretKey}`)}`,
        ingestionVersion: "4",
        resource: { "langfuse.release": "1.2.3", "langfuse.environment": "development" },
      },
    ]);
  });

  it("contains no text", async () => {
    await spanOf(saying(answer, new Error("the model was asked: What is a derivative?")));
    expect(langfuse.deliveries[0]?.text).not.toMatch(/derivative|slope|You are a tutor/);
  });

  it("has the times of the start, of the first chunk and of the end", async () => {
    const pausing: LlmProvider = {
      ...saying([]),
      async *stream() {
        for (const event of answer) {
          vi.advanceTimersByTime(30);
          yield event;
        }
      },
    };
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const before = Date.now();
    const span = await spanOf(pausing);
    const firstChunk = Date.parse(
      JSON.parse(String(span?.attributes["langfuse.observation.completion_start_time"])),
    );
    const started = span?.started.getTime() ?? 0;
    expect([started, firstChunk, span?.ended.getTime()]).toEqual([before, before + 30, before + 90]);
  });

  it.each([
    ["an answer at the token limit", saying([{ ...end, complete: false, stop_reason: "max_tokens" }])],
    ["an answer whose reader gave up", saying(answer.slice(0, 2))],
  ])("of %s is a warning", async (_, provider) => {
    const span = await spanOf(provider);
    expect(span?.attributes).toMatchObject({
      "langfuse.observation.level": "WARNING",
      "langfuse.observation.metadata.end": "cut off",
    });
  });

  it("of a call that failed says why", async () => {
    const span = await spanOf(saying([], new LlmError("unavailable", "direct_api: HTTP 529")));
    expect(span?.attributes).toMatchObject({
      "langfuse.observation.level": "ERROR",
      "langfuse.observation.status_message": "direct_api: HTTP 529",
      "langfuse.observation.usage_details": "{}",
    });
    expect(span?.attributes).not.toHaveProperty("langfuse.observation.completion_start_time");
  });

  it("is absent for a call without a purpose", async () => {
    const tracer = tracerOf();
    const { trace: _, ...untraced } = request;
    await Array.fromAsync(tracedProvider(saying(answer), tracer).stream(untraced));
    await call(tracer);
    expect(await langfuse.spans(1)).toHaveLength(1);
  });
});

describe("without all three settings", () => {
  it.each(["OBS_PUBLIC_KEY", "OBS_SECRET_KEY", "OBS_HOST"])("%s: nothing is traced", (missing) => {
    expect(tracerOf({ [missing]: "" })).toBe(noTracer);
  });
});

describe("a host that does not work", () => {
  freezeTime();

  /** Waits for the flush, which takes exactly half a second. */
  async function takeHalfASecond(flush: Promise<void>): Promise<void> {
    await vi.advanceTimersByTimeAsync(499);
    expect(await isPending(flush)).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    await flush;
  }

  /** Advances time until the log reports an abandoned delivery. */
  const isGivenUp = (log: string[]) =>
    expect
      .poll(async () => {
        await vi.advanceTimersByTimeAsync(500);
        return log.join("");
      })
      .toContain("traces of LLM calls were not delivered");

  it("is dead: answers and errors are as without it, and it is waited for once and not again", async () => {
    const log: string[] = [];
    const tracer = tracerOf({ OBS_HOST: "http://127.0.0.1:9" }, log);
    expect(await call(tracer)).toEqual(answer);
    await expect(call(tracer, saying([], new LlmError("rejected", "HTTP 400")))).rejects.toThrow("HTTP 400");
    await takeHalfASecond(tracer.flush());
    await tracer.flush();
    await isGivenUp(log);
    expect(log.join("")).toContain('"reason":"ECONNREFUSED"');
  });

  it("hangs: the same", async () => {
    langfuse.behaviour = "hangs";
    const log: string[] = [];
    const tracer = tracerOf({}, log);
    expect(await call(tracer)).toEqual(answer);
    await takeHalfASecond(tracer.flush());
    expect(await call(tracer)).toEqual(answer);
    await tracer.flush();
    await takeHalfASecond(tracer.close());
    await isGivenUp(log);
  });

  it("answers 500: nothing waits, and the log has neither the keys nor the host's text", async () => {
    langfuse.behaviour = "fails";
    const log: string[] = [];
    const tracer = tracerOf({}, log);
    expect(await call(tracer)).toEqual(answer);
    await tracer.flush();
    expect(log.join("")).toContain('"reason":"HTTP 500"');
    expect(log.join("")).not.toContain(secretKey);
    expect(log.join("")).not.toContain(btoa(`pk-of-this-test:${secretKey}`));
  });
});

describe("on a server", () => {
  freezeTime();
  const onServer = { AWS_LAMBDA_FUNCTION_NAME: "" };

  it("traces are sent in batches, concurrently with the answers, and the last ones at shutdown", async () => {
    const tracer = tracerOf(onServer);
    await Promise.all([call(tracer), call(tracer)]);
    await tracer.flush();
    expect(langfuse.deliveries).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await langfuse.spans(2)).toHaveLength(2);
    expect(langfuse.deliveries).toHaveLength(1);
    await call(tracer);
    await tracer.close();
    expect(await langfuse.spans(3)).toHaveLength(3);
  });

  it("traces that cannot be sent do not pile up", async () => {
    langfuse.behaviour = "hangs";
    const tracer = tracerOf(onServer);
    await call(tracer);
    await vi.advanceTimersByTimeAsync(1000);
    await langfuse.spans(1);
    for (let number = 0; number < 5000; number += 1) await call(tracer);
    langfuse.behaviour = "answers";
    const closed = tracer.close();
    await langfuse.spans(1 + 512);
    await vi.advanceTimersByTimeAsync(500);
    await closed;
    const sent = (await langfuse.spans(1 + 512)).map(({ traceId }) => traceId);
    expect(new Set(sent).size).toBe(1 + 512);
  });
});
