import diagnostics from "node:diagnostics_channel";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { anthropicProvider } from "../../../../lib/platform/llm/anthropic.ts";
import { bedrockProvider } from "../../../../lib/platform/llm/bedrock.ts";
import { openAiCompatibleProvider } from "../../../../lib/platform/llm/openai-compatible.ts";
import {
  LlmError,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProvider,
  LlmTimeout,
  type LlmTool,
  type LlmUsage,
} from "../../../../lib/platform/llm/provider.ts";
import type { SilenceLimits } from "../../../../lib/platform/llm/silence-watch.ts";
import type { ModelTuning } from "../../../../lib/platform/llm/tuning.ts";
import { holdDeadlines } from "../../../support/held-deadlines.ts";
import {
  defaultChunks,
  type LlmStandIn,
  type ScriptedAnswer,
  startLlmStandIn,
} from "../../../support/llm-stand-in.ts";
import { finishReasons } from "../../../support/openai-protocol.ts";

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

type Limits = { timeoutMs?: number; silenceMs?: SilenceLimits; tuning?: ModelTuning; at?: LlmStandIn };

const patient: SilenceLimits = { first: 60_000, between: 60_000 };

const plainly: ModelTuning = { thinking: "model", promptCaching: false };

const providers: Record<string, (limits?: Limits) => LlmProvider> = {
  direct_api: ({ timeoutMs = 60_000, silenceMs = patient, tuning = plainly, at = llm } = {}) =>
    anthropicProvider({
      apiKey: secret,
      model: "default-model",
      baseURL: at.url,
      maxTokens: 64,
      timeoutMs,
      silenceMs,
      tuning,
    }),
  cloud_managed: ({ timeoutMs = 60_000, silenceMs = patient, tuning = plainly, at = llm } = {}) =>
    bedrockProvider({
      modelId: "default-model",
      region: "eu-west-2",
      endpoint: at.bedrockUrl,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: secret },
      maxTokens: 64,
      timeoutMs,
      silenceMs,
      tuning,
    }),
  openai_compatible: ({ timeoutMs = 60_000, silenceMs = patient, tuning = plainly, at = llm } = {}) =>
    openAiCompatibleProvider({
      apiKey: secret,
      model: "default-model",
      baseURL: at.openAiUrl,
      limitField: "max_tokens",
      maxTokens: 64,
      timeoutMs,
      silenceMs,
      tuning,
    }),
};

/** A provider's name for a stop reason, given Anthropic's. */
const stopOf = (name: string, stop: string) =>
  name === "openai_compatible" ? (finishReasons[stop] ?? stop) : stop;

const callsReceived = () =>
  llm.requests.length + llm.converseRequests.length + llm.completionsRequests.length;

async function collect(events: AsyncIterable<LlmEvent>, seen: LlmEvent[] = []): Promise<LlmEvent[]> {
  for await (const event of events) seen.push(event);
  return seen;
}

/** Until the end of the test, timers fire only when the test says. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** Waits for a timer of that length. */
const isArmed = (milliseconds: number) =>
  expect
    .poll(() => vi.mocked(setTimeout).mock.calls.some(([, delay]) => delay === milliseconds), {
      message: `a timer of ${milliseconds} ms is set`,
    })
    .toBe(true);

/** Waits until this process receives a response's head. */
async function headersArrive(): Promise<void> {
  const arrival = Promise.withResolvers<unknown>();
  diagnostics.subscribe("http.client.response.finish", arrival.resolve);
  await arrival.promise;
  diagnostics.unsubscribe("http.client.response.finish", arrival.resolve);
}

const texts = (events: LlmEvent[]) => events.flatMap((event) => (event.type === "text" ? [event.text] : []));

describe.each(Object.entries(providers))("%s", (name, provider) => {
  const answer = (limits?: Limits) => collect(provider(limits).stream(conversation));

  /** A call's failure, and the text received before it. */
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

  it("keeps the chunks as they arrive and omits empty ones", async () => {
    const chunks = ["Hel", "lo, ", "wörld 🎓\n", "", " ", "data: {}\n\n", "end"];
    llm.script({ chunks });
    expect(texts(await answer())).toEqual(chunks.filter(Boolean));
  });

  it("ends with one event that says the tokens and the stop reason", async () => {
    llm.script({ chunks: ["Yes."], input_tokens: 321, output_tokens: 45, stop_reason: "end_turn" });
    expect(await answer()).toEqual([
      { type: "text", text: "Yes." },
      {
        type: "end",
        complete: true,
        stop_reason: stopOf(name, "end_turn"),
        input_tokens: 321,
        output_tokens: 45,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
      },
    ]);
  });

  it.each([1201.4, -1, 2 ** 31, 3e10, "12", null] as number[])(
    "takes a count of %j tokens as unknown",
    async (count) => {
      llm.script({
        chunks: ["Yes."],
        ...{ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count },
      });
      const unknown = { input_tokens: 0, output_tokens: name === "direct_api" ? expect.any(Number) : 0 };
      const end = (await answer()).at(-1);
      expect(end).toMatchObject({ ...unknown, cache_read_tokens: 0, cache_write_tokens: 0 });
      // The Messages API reports one output token at the start.
      if (end?.type === "end") expect([0, 1]).toContain(end.output_tokens);
    },
  );

  it("accepts the largest count that a row can store", async () => {
    const most = 2 ** 31 - 1;
    llm.script({ chunks: ["Yes."], input_tokens: most, output_tokens: most });
    expect((await answer()).at(-1)).toMatchObject({ input_tokens: most, output_tokens: most });
  });

  const tool: LlmTool = { name: "ask", description: "Asks.", input: { type: "object", properties: {} } };

  it("asks by a strict tool, whose input arrives in parts and is passed on whole", async () => {
    llm.script({ chunks: ["Think ", "of it."], call: ['{"questionId": "q', '1", "opt', 'ions": []}'] });
    const events = await collect(provider().stream({ ...conversation, tool }));
    expect(texts(events)).toEqual(["Think ", "of it."]);
    expect(events.slice(-2)).toMatchObject([
      { type: "call", name: "ask", input: '{"questionId": "q1", "options": []}' },
      { type: "end", complete: true, stop_reason: stopOf(name, "tool_use") },
    ]);
    const sent = JSON.stringify([llm.bodies, llm.converseRequests, llm.completionsRequests]);
    expect(sent).toContain('"strict":true');
    expect(sent).toContain('"name":"ask"');
  });

  it("sends no tool that it was not given", async () => {
    await answer();
    expect(JSON.stringify([llm.bodies, llm.converseRequests, llm.completionsRequests])).not.toMatch(/"tool/);
  });

  it("says a call that was cut off as far as it came, in an answer that is not complete", async () => {
    llm.script({ chunks: ["Think."], call: ['{"questionId": "q'], stop_reason: "max_tokens" });
    expect((await collect(provider().stream({ ...conversation, tool }))).slice(-2)).toMatchObject([
      { type: "call", name: "ask", input: '{"questionId": "q' },
      { type: "end", complete: false },
    ]);
  });

  it("never returns a model's thinking before its answer", async () => {
    llm.script({
      chunks: ["\n<thi", "nk>The answer is", " 42, but</th", "ink>\n\nWhat do", " you <think>?"],
    });
    expect(texts(await answer()).join("")).toBe("What do you <think>?");
    llm.script({ chunks: ["The answer is 42.", "</think> What do you think?"], times: 2 });
    const unopened = await answer({ tuning: { ...plainly, thinksUnopened: true } });
    expect(texts(unopened).join("")).toBe("What do you think?");
    expect(texts(await answer()).join("")).toContain("42");
  });

  it("returns cache reads and writes of the provider, and the usage so far", async () => {
    llm.script({ chunks: ["Yes."], input_tokens: 1, cache_read_tokens: 2000, cache_write_tokens: 30 });
    const told: LlmUsage[] = [];
    const events = await collect(
      provider().stream({ ...conversation, onUsage: (usage) => told.push(usage) }),
    );
    // Chat Completions does not report cache writes.
    const written = name === "openai_compatible" ? 0 : 30;
    const usage = { input_tokens: 1, cache_read_tokens: 2000, cache_write_tokens: written };
    expect(events.at(-1)).toMatchObject(usage);
    expect(told.at(-1)).toMatchObject(usage);
  });

  it.each([429, 529])("passes the Retry-After of a %s on, and does not ask before", async (status) => {
    const { error } = await failureOf({ status, retryAfter: 17 });
    expect(error.retryAfter).toBe(17);
    expect(callsReceived()).toBe(1);
  });

  it.each([
    ["stop_sequence", true],
    ["max_tokens", false],
    ["refusal", false],
    ["content_filtered", false],
  ])("an answer that stopped by %s has complete %s", async (stop_reason, complete) => {
    llm.script({ chunks: ["So"], stop_reason });
    expect((await answer()).at(-1)).toMatchObject({
      type: "end",
      complete,
      stop_reason: stopOf(name, stop_reason),
    });
  });

  it("passes an answer without text on as an end alone", async () => {
    llm.script({ chunks: [] });
    expect(await answer()).toMatchObject([{ type: "end", complete: true }]);
  });

  it("passes on a chunk before the next arrives", async () => {
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
    expect(callsReceived()).toBe(0);
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
    const type = name === "cloud_managed" ? "modelStreamErrorException" : "api_error";
    const failure = await failureOf({ chunks: ["So"], failure: "error event", error: { type } });
    expect(failure).toMatchObject({ kind: "interrupted", seen: ["So"] });
  });

  it("repeats a request that failed before the answer began, and no other", async () => {
    llm.script({ status: 529 }, { chunks: ["at last"] });
    expect(texts(await answer())).toEqual(["at last"]);
    expect(callsReceived()).toBe(2);
    await failureOf({ chunks: ["So"], failure: "socket destroyed" });
    expect(callsReceived()).toBe(3);
  });

  it("a provider that never answers is given up as unavailable", async () => {
    const deadlines = holdDeadlines();
    const failure = failureOf({ failure: "silence" });
    await isCalled();
    deadlines.pass(60_000);
    const { kind, error } = await failure;
    expect(kind).toBe("unavailable");
    expect(error.message).toContain("60000 ms");
  });

  it("a stream that hangs is given up as interrupted", async () => {
    const deadlines = holdDeadlines();
    llm.script({ chunks: ["So"], failure: "hang" });
    const events = provider().stream(conversation)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: "text", text: "So" });
    deadlines.pass(60_000);
    await expect(events.next()).rejects.toMatchObject({ name: "LlmError", kind: "interrupted" });
  });

  const isCalled = () => expect.poll(callsReceived, { message: "the provider is called" }).toBe(1);

  const silenceMs: SilenceLimits = { first: 30_000, between: 40_000 };

  it.each<[string, ScriptedAnswer, { limit: number; from: () => Promise<void> }]>([
    ["before its headers", { failure: "silence" }, { limit: 30_000, from: isCalled }],
    ["after its headers", { failure: "headers alone" }, { limit: 30_000, from: headersArrive }],
    ["between events", { chunks: ["So"], failure: "hang" }, { limit: 40_000, from: () => isArmed(40_000) }],
  ])(
    "that is silent for too long %s is given up, and is not asked again",
    async (_, script, { limit, from }) => {
      holdTimers();
      const begun = from();
      const failure = failureOf(script, { silenceMs });
      await begun;
      await vi.advanceTimersByTimeAsync(limit);
      expect((await failure).error).toBeInstanceOf(LlmTimeout);
      expect((await failure).seen).toEqual(script.chunks ?? []);
      expect((await failure).error.message).toBe(`${name}: no event for ${limit} ms`);
      expect(callsReceived()).toBe(1);
    },
  );

  it("that thinks, or sends pings, is waited for as long as an answer may take", async () => {
    holdTimers();
    const deadlines = holdDeadlines();
    const failure = failureOf({ failure: "pings" }, { silenceMs, timeoutMs: 900_000 });
    await isArmed(silenceMs.between);
    await vi.advanceTimersByTimeAsync(silenceMs.first);
    deadlines.pass(900_000);
    const { error } = await failure;
    expect(error).toBeInstanceOf(LlmTimeout);
    expect(error.message).toBe(`${name}: no complete answer within 900000 ms`);
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

  it("a missing server is unavailable, and the message says why", async () => {
    const gone = await startLlmStandIn();
    await gone.close();
    const refused = { kind: "unavailable", message: `${name}: ECONNREFUSED` };
    await expect(collect(provider({ at: gone }).stream(conversation))).rejects.toMatchObject(refused);
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

it("direct_api counts tokens that are reported only at the end", async () => {
  llm.script({ chunks: ["Yes."], input_tokens: 55, output_tokens: 5, usageLast: true });
  const events = await collect(providers["direct_api"]?.().stream(conversation) ?? fail());
  expect(events.at(-1)).toMatchObject({ input_tokens: 55, output_tokens: 5 });
});

describe("the request body", () => {
  const tuned: ModelTuning = { thinking: "off", effort: "low", temperature: 0.2, promptCaching: true };

  it("direct_api marks the prefix that calls share, and says how the model is to think", async () => {
    await collect(providers["direct_api"]?.({ tuning: tuned }).stream(conversation) ?? fail());
    const cache_control = { type: "ephemeral" };
    expect(llm.bodies).toEqual([
      {
        model: "model-one",
        max_tokens: 64,
        system: [{ type: "text", text: "You are a tutor.", cache_control }],
        messages: [
          { role: "user", content: "Start." },
          { role: "assistant", content: [{ type: "text", text: "Welcome!", cache_control }] },
          { role: "user", content: question },
        ],
        output_config: { effort: "low" },
        temperature: 0.2,
        stream: true,
      },
    ]);
  });

  it.each([
    ["claude-sonnet-5-5", { type: "between_tools" }],
    ["claude-sonnet-5", { type: "disabled" }],
    ["claude-haiku-5-5", { type: "disabled" }],
    // It always thinks, and rejects the setting.
    ["claude-opus-5-5", undefined],
    // It thinks only on request.
    ["claude-sonnet-4-6", undefined],
  ])("direct_api turns off thinking of %s in its own format", async (model, thinking) => {
    await collect(providers["direct_api"]?.({ tuning: tuned }).stream({ ...conversation, model }) ?? fail());
    expect(llm.bodies[0]?.["thinking"]).toEqual(thinking);
  });

  it("cloud_managed does so for the models that understand it", async () => {
    const stream = (model: string) =>
      collect(providers["cloud_managed"]?.({ tuning: tuned }).stream({ ...conversation, model }) ?? fail());
    await stream("global.anthropic.claude-sonnet-5-5");
    await stream("eu.amazon.nova-lite-v1:0");
    await stream("meta.llama3-70b-instruct-v1:0");
    const cachePoint = { type: "default" };
    const [claude, nova, llama] = llm.converseRequests;
    expect(claude).toMatchObject({
      system: [{ text: "You are a tutor." }, { cachePoint }],
      messages: [
        { content: [{ text: "Start." }] },
        { content: [{ text: "Welcome!" }, { cachePoint }] },
        { content: [{ text: question }] },
      ],
      inferenceConfig: { maxTokens: 64, temperature: 0.2 },
      additionalModelRequestFields: { thinking: { type: "between_tools" }, output_config: { effort: "low" } },
    });
    expect(nova?.system).toEqual([{ text: "You are a tutor." }, { cachePoint }]);
    expect(nova).not.toHaveProperty("additionalModelRequestFields");
    expect(llama?.system).toEqual([{ text: "You are a tutor." }]);
  });

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

  it("openai_compatible sends Chat Completions' body and nothing more", async () => {
    await collect(providers["openai_compatible"]?.({ tuning: tuned }).stream(conversation) ?? fail());
    expect(llm.completionsRequests).toEqual([
      {
        model: "model-one",
        messages: [{ role: "system", content: "You are a tutor." }, ...conversation.messages],
        max_tokens: 64,
        reasoning_effort: "low",
        temperature: 0.2,
        stream: true,
        stream_options: { include_usage: true },
      },
    ]);
  });

  const input = { questionId: "q1", key: { answer: "B" } };
  const called = {
    ...conversation,
    tool: { name: "ask", description: "Asks", input: { type: "object" as const } },
    messages: [
      { role: "user" as const, content: "Start." },
      { role: "assistant" as const, content: "Think.", call: { id: "ask000000", name: "ask", input } },
      { role: "user" as const, content: "", result: { id: "ask000000", content: "B" } },
      { role: "assistant" as const, content: "", call: { id: "ask000001", name: "ask", input } },
      { role: "user" as const, content: "A hint", result: { id: "ask000001", content: "None" } },
    ],
  };

  it("direct_api writes earlier calls as blocks, and omits empty texts", async () => {
    const marks = { ...plainly, promptCaching: true };
    const cache_control = { type: "ephemeral" };
    await collect(providers["direct_api"]?.({ tuning: marks }).stream(called) ?? fail());
    const use = (id: string) => ({ type: "tool_use", id, name: "ask", input });
    expect(llm.bodies[0]?.messages).toEqual([
      { role: "user", content: "Start." },
      { role: "assistant", content: [{ type: "text", text: "Think." }, use("ask000000")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "ask000000", content: "B" }] },
      { role: "assistant", content: [{ ...use("ask000001"), cache_control }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "ask000001", content: "None" },
          { type: "text", text: "A hint" },
        ],
      },
    ]);
  });

  it("cloud_managed writes earlier calls as blocks, and omits empty texts", async () => {
    await collect(providers["cloud_managed"]?.().stream(called) ?? fail());
    const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: "ask", input } });
    const result = (toolUseId: string, text: string) => ({ toolResult: { toolUseId, content: [{ text }] } });
    expect(llm.converseRequests[0]?.messages).toEqual([
      { role: "user", content: [{ text: "Start." }] },
      { role: "assistant", content: [{ text: "Think." }, use("ask000000")] },
      { role: "user", content: [result("ask000000", "B")] },
      { role: "assistant", content: [use("ask000001")] },
      { role: "user", content: [result("ask000001", "None"), { text: "A hint" }] },
    ]);
  });

  it("openai_compatible writes earlier calls with their results as messages", async () => {
    await collect(providers["openai_compatible"]?.().stream(called) ?? fail());
    const calls = (id: string) => [
      { id, type: "function", function: { name: "ask", arguments: JSON.stringify(input) } },
    ];
    expect(llm.completionsRequests[0]?.messages.slice(1)).toEqual([
      { role: "user", content: "Start." },
      { role: "assistant", content: "Think.", tool_calls: calls("ask000000") },
      { role: "tool", tool_call_id: "ask000000", content: "B" },
      { role: "assistant", content: null, tool_calls: calls("ask000001") },
      { role: "tool", tool_call_id: "ask000001", content: "None" },
      { role: "user", content: "A hint" },
    ]);
  });

  it("an empty system prompt is omitted, since providers reject it", async () => {
    for (const provider of Object.values(providers))
      await collect(provider().stream({ ...conversation, system: "" }));
    expect(llm.requests[0]).not.toHaveProperty("system");
    expect(llm.converseRequests[0]).not.toHaveProperty("system");
    expect(llm.completionsRequests[0]?.messages).toEqual(conversation.messages);
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
      tuning: plainly,
      timeoutMs: 60_000,
      silenceMs: patient,
    });
    expect(texts(await collect(provider.stream(conversation)))).toEqual(defaultChunks(question, llm.calls()));
    await collect(provider.stream(conversation));
    expect(asked).toBeGreaterThanOrEqual(2);
  });
});

function fail(): never {
  throw new Error("no such provider");
}
