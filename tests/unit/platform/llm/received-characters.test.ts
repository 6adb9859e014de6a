import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../../../lib/platform/llm/anthropic.ts";
import { bedrockProvider } from "../../../../lib/platform/llm/bedrock.ts";
import { openAiCompatibleProvider } from "../../../../lib/platform/llm/openai-compatible.ts";
import { LlmError, type LlmProvider } from "../../../../lib/platform/llm/provider.ts";
import type { CallOptions } from "../../../../lib/platform/llm/tuning.ts";
import {
  completionsChunks,
  converseFrames,
  messagesEvents,
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
const messages = () => anthropicProvider({ ...options, apiKey: "k", model: "m", baseURL: server.url });
const completions = () =>
  openAiCompatibleProvider({ ...options, baseURL: server.url, model: "m", limitField: "max_tokens" });
const converse = () =>
  bedrockProvider({
    ...options,
    modelId: "m",
    region: "eu-west-2",
    endpoint: server.url,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s" },
  });

const thought = "x".repeat(40);

const completion = (delta: object): RawResponse => ({
  body: completionsChunks([{ choices: [{ index: 0, delta }] }]).replace("data: [DONE]\n\n", ""),
  breaks: true,
});
const message = (block: object, delta: object): RawResponse => ({
  body: messagesEvents([
    { type: "message_start", message: {} },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
  ]),
  breaks: true,
});
const frames = (delta: object): RawResponse => ({
  headers: { "content-type": "application/vnd.amazon.eventstream" },
  body: converseFrames([
    ["messageStart", { role: "assistant" }],
    ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "1", name: "ask" } } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta }],
  ]),
  breaks: true,
});
const ask = { type: "tool_use", id: "1", name: "ask", input: {} };

/** Pieces of 40 characters that no event brought when the connection broke. */
const responses: Record<string, [() => LlmProvider, RawResponse]> = {
  "reasoning content": [completions, completion({ role: "assistant", reasoning_content: thought })],
  "the same reasoning in three fields": [
    completions,
    completion({
      reasoning_content: thought,
      reasoning: thought,
      reasoning_details: [{ type: "reasoning.text", text: thought, signature: "no" }],
    }),
  ],
  "a summary of reasoning": [
    completions,
    completion({ reasoning_details: [{ type: "reasoning.summary", summary: thought }] }),
  ],
  "thinking as a part": [
    completions,
    completion({ content: [{ type: "thinking", thinking: [{ type: "text", text: thought }] }] }),
  ],
  "thinking in tags": [completions, completion({ content: `<think>${thought.slice(7)}` })],
  "a call": [completions, completion({ tool_calls: [{ function: { name: "ask", arguments: thought } }] })],
  "an old call": [completions, completion({ function_call: { name: "ask", arguments: thought } })],
  "thinking of Claude": [
    messages,
    message({ type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: thought }),
  ],
  "a call of Claude": [messages, message(ask, { type: "input_json_delta", partial_json: thought })],
  "text in tags of Claude": [
    messages,
    message({ type: "text", text: "" }, { type: "text_delta", text: `<think>${thought.slice(7)}` }),
  ],
  "reasoning at Bedrock": [converse, frames({ reasoningContent: { text: thought } })],
  "a call at Bedrock": [converse, frames({ toolUse: { input: thought } })],
  "text in tags at Bedrock": [converse, frames({ text: `<think>${thought.slice(7)}` })],
};

describe("the received characters of an answer that broke off", () => {
  it.each(Object.entries(responses))("include %s", async (_, [provider, response]) => {
    server.serve(response);
    let received = 0;
    const request = { model: "m", system: "", messages: [{ role: "user" as const, content: "Hi." }] };
    const events = provider().stream({ ...request, onReceived: (characters) => (received += characters) });
    await expect(Array.fromAsync(events)).rejects.toThrow(LlmError);
    expect(received).toBe(40);
  });
});
