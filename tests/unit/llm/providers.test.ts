import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bedrockProvider } from "../../../lib/llm/bedrock.ts";
import { directProvider } from "../../../lib/llm/direct.ts";
import { LlmError, type LlmErrorKind, type LlmEvent, type LlmProvider } from "../../../lib/llm/provider.ts";
import { holdDeadlines } from "../../support/held-deadlines.ts";
import {
  defaultChunks,
  type LlmStandIn,
  type ScriptedAnswer,
  startLlmStandIn,
} from "../../support/llm-stand-in.ts";

const secret = "the-secret-key-of-this-test";
const question = "What is a derivative?";
const conversation = {
  model: "model-one",
  system: "You are a tutor.",
  messages: [
    { role: "user" as const, content: "Start." },
    { role: "assistant" as const, content: "Welcome!" },
    { role: "user" as const, content: question },
  ],
};

let llm: LlmStandIn;
beforeAll(async () => {
  llm = await startLlmStandIn();
});
beforeEach(() => llm.reset());
afterAll(() => llm.close());

type Limits = { timeoutMs?: number };

const providers: Record<string, (limits?: Limits) => LlmProvider> = {
  direct_api: ({ timeoutMs = 60_000 } = {}) =>
    directProvider({ apiKey: secret, model: "default-model", baseURL: llm.url, maxTokens: 64, timeoutMs }),
  cloud_managed: ({ timeoutMs = 60_000 } = {}) =>
    bedrockProvider({
      modelId: "default-model",
      region: "eu-west-2",
      endpoint: llm.bedrockUrl,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: secret },
      maxTokens: 64,
      timeoutMs,
    }),
};

async function collect(events: AsyncIterable<LlmEvent>, seen: LlmEvent[] = []): Promise<LlmEvent[]> {
  for await (const event of events) seen.push(event);
  return seen;
}

const texts = (events: LlmEvent[]) => events.flatMap((event) => (event.type === "text" ? [event.text] : []));

describe.each(Object.entries(providers))("%s", (name, provider) => {
  const answer = (limits?: Limits) => collect(provider(limits).stream(conversation));

  /** The failure of a call, and what was received before it. */
  async function failureOf(script: ScriptedAnswer, limits?: Limits) {
    llm.script(script);
    const seen: LlmEvent[] = [];
    const error = await collect(provider(limits).stream(conversation), seen).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof LlmError)) throw new Error(`expected an LlmError, got ${inspect(error)}`);
    return { error, kind: error.kind, seen: texts(seen), ended: seen.some(({ type }) => type === "end") };
  }

  it("names itself and its default model", () => {
    expect(provider()).toMatchObject({ name, defaultModel: "default-model" });
  });

  it("keeps the chunks as they were cut and leaves out empty ones", async () => {
    const chunks = ["Hel", "lo, ", "wörld 🎓\n", "", " ", "data: {}\n\n", "end"];
    llm.script({ chunks });
    expect(texts(await answer())).toEqual(chunks.filter(Boolean));
  });

  it("ends with one event that says the tokens and the stop reason", async () => {
    llm.script({ chunks: ["Yes."], input_tokens: 321, output_tokens: 45, stop_reason: "end_turn" });
    expect(await answer()).toEqual([
      { type: "text", text: "Yes." },
      { type: "end", complete: true, stop_reason: "end_turn", input_tokens: 321, output_tokens: 45 },
    ]);
  });

  it.each([
    ["stop_sequence", true],
    ["max_tokens", false],
    ["refusal", false],
    ["content_filtered", false],
  ])("an answer that stopped by %s has complete %s", async (stop_reason, complete) => {
    llm.script({ chunks: ["So"], stop_reason });
    expect((await answer()).at(-1)).toMatchObject({ type: "end", complete, stop_reason });
  });

  it("passes an answer without text on as an end alone", async () => {
    llm.script({ chunks: [] });
    expect(await answer()).toMatchObject([{ type: "end", complete: true }]);
  });

  it("hands a chunk on while the next is still to come", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    llm.script({ chunks: ["first", gate, "second"] });
    const events = provider().stream(conversation)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", text: "first" });
    open();
    expect((await events.next()).value).toEqual({ type: "text", text: "second" });
    expect((await events.next()).value).toMatchObject({ type: "end" });
    expect((await events.next()).done).toBe(true);
  });

  it("sends nothing before it is read", () => {
    provider().stream(conversation);
    expect([...llm.requests, ...llm.converseRequests]).toEqual([]);
  });

  it.each<[string, ScriptedAnswer, LlmErrorKind]>([
    ["is overloaded", { status: 529, times: 3 }, "unavailable"],
    ["is throttled", { status: 429, times: 3 }, "unavailable"],
    ["fails", { status: 500, times: 3, error: { type: "api_error" } }, "unavailable"],
    ["refuses the request", { status: 400, error: { type: "ValidationException" } }, "rejected"],
    ["refuses the key", { status: 401, error: { type: "authentication_error" } }, "rejected"],
    ["does not know the model", { status: 404, error: { type: "not_found_error" } }, "rejected"],
    ["stops without a stop event", { chunks: ["So", " then"], failure: "end without stop" }, "interrupted"],
    ["breaks the connection", { chunks: ["So", " then"], failure: "socket destroyed" }, "interrupted"],
    ["says in the stream that it is overloaded", { chunks: ["So"], failure: "error event" }, "unavailable"],
  ])("a provider that %s is an LlmError", async (_, script, kind) => {
    const failure = await failureOf(script);
    expect(failure).toMatchObject({ kind, seen: script.chunks ?? [], ended: false });
    expect(failure.error.message).toMatch(new RegExp(`^${name}: `));
  });

  it("an unknown error in the stream is an interruption", async () => {
    const type = name === "direct_api" ? "api_error" : "modelStreamErrorException";
    const failure = await failureOf({ chunks: ["So"], failure: "error event", error: { type } });
    expect(failure).toMatchObject({ kind: "interrupted", seen: ["So"] });
  });

  it("repeats a request that failed before the answer began, and no other", async () => {
    llm.script({ status: 529 }, { chunks: ["at last"] });
    expect(texts(await answer())).toEqual(["at last"]);
    const count = () => llm.requests.length + llm.converseRequests.length;
    expect(count()).toBe(2);
    await failureOf({ chunks: ["So"], failure: "socket destroyed" });
    expect(count()).toBe(3);
  });

  it("a provider that never answers is given up as unavailable", async () => {
    const { kind, error } = await failureOf({ failure: "silence" }, { timeoutMs: 200 });
    expect(kind).toBe("unavailable");
    expect(error.message).toContain("200 ms");
  });

  it("a stream that hangs is given up as interrupted", async () => {
    const deadlines = holdDeadlines();
    llm.script({ chunks: ["So"], failure: "hang" });
    const events = provider().stream(conversation)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", text: "So" });
    deadlines.pass(60_000);
    await expect(events.next()).rejects.toMatchObject({ name: "LlmError", kind: "interrupted" });
  });

  it("a caller's signal ends the call before, and in the middle of, the answer", async () => {
    const aborted = provider().stream({ ...conversation, signal: AbortSignal.abort() });
    await expect(collect(aborted)).rejects.toMatchObject({ name: "LlmError", kind: "interrupted" });

    llm.script({ chunks: ["So"], failure: "hang" });
    const controller = new AbortController();
    const events = provider()
      .stream({ ...conversation, signal: controller.signal })
      [Symbol.asyncIterator]();
    await events.next();
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ name: "LlmError", kind: "interrupted" });
  });

  it("a server that is not there is unavailable, and the message says why", async () => {
    const gone = await startLlmStandIn();
    await gone.close();
    const nowhere =
      name === "direct_api"
        ? directProvider({ apiKey: secret, model: "m", baseURL: gone.url, maxTokens: 64, timeoutMs: 60_000 })
        : bedrockProvider({
            modelId: "m",
            region: "eu-west-2",
            endpoint: gone.url,
            credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: secret },
            maxTokens: 64,
            timeoutMs: 60_000,
          });
    const refused = { kind: "unavailable", message: `${name}: ECONNREFUSED` };
    await expect(collect(nowhere.stream(conversation))).rejects.toMatchObject(refused);
  });

  it.each<[string, ScriptedAnswer]>([
    ["an HTTP error", { status: 400 }],
    ["an error event", { chunks: ["So"], failure: "error event" }],
  ])("%s that quotes the key and the question leaves no trace of them", async (_, script) => {
    const error = { type: "invalid_request_error", message: `key ${secret} may not ask ${question}` };
    const failure = await failureOf({ ...script, error });
    const everything = inspect(failure.error, { depth: 10, showHidden: true });
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(question);
  });
});

describe("what is sent", () => {
  it("direct_api sends the Messages API's body and nothing more", async () => {
    await collect(providers["direct_api"]?.().stream(conversation) ?? fail());
    expect(llm.requests).toEqual([
      {
        model: "model-one",
        max_tokens: 64,
        system: "You are a tutor.",
        messages: conversation.messages,
        stream: true,
      },
    ]);
  });

  it("cloud_managed sends ConverseStream's body and nothing more", async () => {
    const model = "arn:aws:bedrock:eu-west-2:123456789012:inference-profile/one";
    await collect(providers["cloud_managed"]?.().stream({ ...conversation, model }) ?? fail());
    expect(llm.converseRequests).toEqual([
      {
        modelId: model,
        system: [{ text: "You are a tutor." }],
        messages: conversation.messages.map(({ role, content }) => ({ role, content: [{ text: content }] })),
        inferenceConfig: { maxTokens: 64 },
      },
    ]);
  });

  it("an empty system prompt is left out, since both refuse it", async () => {
    for (const provider of Object.values(providers))
      await collect(provider().stream({ ...conversation, system: "" }));
    expect(llm.requests[0]).not.toHaveProperty("system");
    expect(llm.converseRequests[0]).not.toHaveProperty("system");
  });

  it("cloud credentials may come from a function", async () => {
    let asked = 0;
    const provider = bedrockProvider({
      modelId: "m",
      region: "eu-west-2",
      endpoint: llm.bedrockUrl,
      credentials: async () => {
        asked += 1;
        return { accessKeyId: "AKIDEXAMPLE", secretAccessKey: secret, expiration: new Date() };
      },
      maxTokens: 64,
      timeoutMs: 60_000,
    });
    expect(texts(await collect(provider.stream(conversation)))).toEqual(defaultChunks(question, llm.calls()));
    await collect(provider.stream(conversation));
    expect(asked).toBeGreaterThanOrEqual(2);
  });
});

function fail(): never {
  throw new Error("no such provider");
}
