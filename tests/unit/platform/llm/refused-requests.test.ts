import { afterAll, beforeAll, expect, it } from "vitest";
import { bedrockProvider } from "../../../../lib/platform/llm/bedrock.ts";
import { bedrockEmbeddingsProvider } from "../../../../lib/platform/llm/embeddings.ts";
import { openAiCompatibleProvider } from "../../../../lib/platform/llm/openai-compatible.ts";
import type { LlmProvider } from "../../../../lib/platform/llm/provider.ts";
import type { CallOptions } from "../../../../lib/platform/llm/tuning.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import {
  completionsChunks,
  converseFrames,
  type RawLlm,
  type RawResponse,
  startRawLlm,
} from "../../../support/raw-llm.ts";

let server: RawLlm;
beforeAll(async () => {
  server = await startRawLlm();
});
afterAll(() => server.close());

const options: CallOptions = {
  maxTokens: 64,
  timeoutMs: 60_000,
  silenceMs: { first: 60_000, between: 60_000 },
  tuning: { thinking: "model", promptCaching: false },
};

const region = () => ({
  region: "eu-west-2",
  endpoint: server.url,
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s" },
});

const completions = () =>
  openAiCompatibleProvider({ ...options, baseURL: server.url, model: "m", limitField: "max_tokens" });

const converse = () => bedrockProvider({ ...options, ...region(), modelId: "m" });

const json = { "content-type": "application/json" };

const refusedByBedrock = (status: number, name: string, message: string): RawResponse => ({
  status,
  headers: { ...json, "x-amzn-errortype": name },
  body: JSON.stringify({ message }),
});

const refused = (status: number, body: unknown): RawResponse => ({
  status,
  headers: json,
  body: JSON.stringify(body),
});

const brokenOff = (name: string, message: string): RawResponse => ({
  headers: { "content-type": "application/vnd.amazon.eventstream" },
  body: converseFrames([
    ["messageStart", { role: "assistant" }],
    [`!${name}`, { message }],
  ]),
});

const throttled = "Too many tokens, please wait before trying again.";
const exhausted = "You exceeded your current quota, please check your plan and billing details.";

it.each<[string, () => LlmProvider, RawResponse, number, object]>([
  [
    "Bedrock throttles",
    converse,
    refusedByBedrock(429, "ThrottlingException", throttled),
    3,
    { kind: "unavailable", problem: undefined },
  ],
  [
    "Bedrock throttles in the stream",
    converse,
    brokenOff("throttlingException", throttled),
    1,
    { kind: "unavailable", problem: undefined },
  ],
  [
    "Bedrock's model calls a tool wrongly",
    converse,
    brokenOff("modelStreamErrorException", "Model produced invalid sequence as part of ToolUse."),
    1,
    { kind: "interrupted", problem: undefined },
  ],
  [
    "OpenAI's model produces invalid content",
    completions,
    {
      body: completionsChunks([
        { error: { message: "The model produced invalid content.", type: "server_error", code: null } },
      ]),
    },
    1,
    { kind: "interrupted", problem: undefined },
  ],
  [
    "Gemini limits the rate",
    completions,
    refused(429, [
      {
        error: {
          code: 429,
          message: `${exhausted}\n* Quota exceeded for metric: requests, limit: 10\nPlease retry in 34.07s.`,
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ]),
    1,
    {
      kind: "unavailable",
      problem: undefined,
      retryAfter: 35,
      message: "openai_compatible: HTTP 429, RESOURCE_EXHAUSTED",
    },
  ],
  [
    "OpenAI has no credit",
    completions,
    refused(429, { error: { message: exhausted, type: "insufficient_quota", code: "insufficient_quota" } }),
    1,
    { kind: "rejected", problem: "credit" },
  ],
  [
    "llama.cpp has a shorter context",
    completions,
    refused(400, {
      error: { code: 400, message: "no", type: "exceed_context_size_error", n_ctx: 4096 },
    }),
    1,
    {
      kind: "rejected",
      problem: "prompt_too_long",
      message: "openai_compatible: HTTP 400, exceed_context_size_error",
    },
  ],
  [
    "a gateway repeats the status as its code",
    completions,
    refused(400, { error: { code: 400, message: "no" } }),
    1,
    { kind: "rejected", problem: undefined, message: "openai_compatible: HTTP 400" },
  ],
  [
    "a server numbers its errors",
    completions,
    refused(429, { error: { code: "1113", message: "Insufficient balance. Please recharge." } }),
    1,
    { kind: "rejected", problem: "credit", message: "openai_compatible: HTTP 429, 1113" },
  ],
])("if %s, the failure is named by it", async (_, provider, response, requests, expected) => {
  server.serve(response);
  const request = { model: "m", system: "", messages: [{ role: "user" as const, content: "Hi." }] };
  await expect(Array.fromAsync(provider().stream(request))).rejects.toMatchObject(expected);
  expect(server.requests()).toBe(requests);
});

it("embeddings that are throttled are unavailable, whatever the limit", async () => {
  server.serve(refusedByBedrock(429, "ThrottlingException", throttled));
  const { embed } = bedrockEmbeddingsProvider("amazon.titan-embed-text-v2:0", region());
  const call = { university_id: 1, use: "document" as const, signal: noDeadline() };
  await expect(embed(["text"], call)).rejects.toMatchObject({ kind: "unavailable" });
});

it("a filter of DashScope ends the answer as a refusal", async () => {
  const error = { code: "data_inspection_failed", type: "data_inspection_failed", message: "no" };
  server.serve(refused(400, { error }));
  const request = { model: "m", system: "", messages: [{ role: "user" as const, content: "Hi." }] };
  const events = await Array.fromAsync(completions().stream(request));
  expect(events).toMatchObject([{ type: "end", complete: false, stop_reason: "content_filter" }]);
});
