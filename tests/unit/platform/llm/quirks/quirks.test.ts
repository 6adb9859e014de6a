import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../../../../lib/platform/llm/anthropic.ts";
import { bedrockProvider } from "../../../../../lib/platform/llm/bedrock.ts";
import { openAiCompatibleProvider } from "../../../../../lib/platform/llm/openai-compatible.ts";
import { type LlmEndEvent, LlmError, type LlmProvider } from "../../../../../lib/platform/llm/provider.ts";
import { classifyStopReason } from "../../../../../lib/platform/llm/stop-reasons.ts";
import { llmErrorKindOfStatus } from "../../../../../lib/platform/llm/stream-answer.ts";
import type { CallOptions } from "../../../../../lib/platform/llm/tuning.ts";
import { isBlank } from "../../../../../schema/api/platform/is-blank.ts";
import { type RawLlm, startRawLlm } from "../../../../support/raw-llm.ts";
import { completionsQuirks } from "./completions.ts";
import { converseQuirks } from "./converse.ts";
import { messagesQuirks } from "./messages.ts";
import type { Quirk } from "./quirk.ts";

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

const protocols: Record<string, { quirks: readonly Quirk[]; provider: () => LlmProvider }> = {
  "the Messages API": {
    quirks: messagesQuirks,
    provider: () => anthropicProvider({ ...options, apiKey: "k", model: "m", baseURL: server.url }),
  },
  "Chat Completions": {
    quirks: completionsQuirks,
    provider: () =>
      openAiCompatibleProvider({ ...options, baseURL: server.url, model: "m", limitField: "max_tokens" }),
  },
  ConverseStream: {
    quirks: converseQuirks,
    provider: () =>
      bedrockProvider({
        ...options,
        modelId: "m",
        region: "eu-west-2",
        endpoint: server.url,
        credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "s" },
      }),
  },
};

type Outcome = { text: string; calls: [string, string][]; ends: string; bill: unknown; log: string };

const billOf = ({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: LlmEndEvent) => {
  const counts = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens];
  return counts.some((count) => count > 0) ? counts : "unknown";
};

function endsOf({ complete, stop_reason }: LlmEndEvent, text: string, calls: number): string {
  if (!complete) return classifyStopReason(stop_reason);
  return isBlank(text) && calls === 0 ? "empty" : "shared";
}

async function outcomeOf(provider: LlmProvider): Promise<Outcome> {
  let text = "";
  const calls: [string, string][] = [];
  try {
    const request = { model: "m", system: "", messages: [{ role: "user" as const, content: "Hi." }] };
    for await (const event of provider.stream(request)) {
      if (event.type === "text") text += event.text;
      else if (event.type === "call") calls.push([event.name, event.input]);
      else return { text, calls, ends: endsOf(event, text, calls.length), bill: billOf(event), log: "" };
    }
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    return { text, calls, ends: error.kind, bill: undefined, log: error.message };
  }
  throw new Error("the stream ended without its end");
}

it("has a hundred and fifty quirks and more", () => {
  const all = Object.values(protocols).flatMap(({ quirks }) => quirks);
  expect(all.length).toBeGreaterThanOrEqual(150);
  for (const { quirks } of Object.values(protocols))
    expect(new Set(quirks.map(({ name }) => name)).size).toBe(quirks.length);
});

describe.each(Object.entries(protocols))("a response of %s", (_, { quirks, provider }) => {
  it.each(quirks.map((quirk) => [quirk.name, quirk] as const))(
    "with %s has one outcome, however it is cut",
    async (_, quirk) => {
      // A request that is repeated waits between its tries, so it is made once.
      for (const pieceBytes of quirk.requests === 3 ? [1 << 20] : [1 << 20, 1, 7]) {
        server.serve(quirk.response, pieceBytes);
        const { log, ...outcome } = await outcomeOf(provider());
        const isFailure = ["unavailable", "rejected", "interrupted"].includes(quirk.ends);
        expect({ ...outcome, requests: server.requests() }).toEqual({
          text: quirk.text ?? "",
          calls: quirk.calls ?? [],
          ends: quirk.ends,
          bill: isFailure ? undefined : quirk.bill,
          requests: quirk.requests ?? 1,
        });
        // Neither the answer nor the provider's message reaches a log line.
        expect(log).not.toMatch(/Hel|\bno$|"no"|oh\b|html/);
        expect(log).not.toContain("the connection failed");
      }
    },
  );
});

it.each([
  [400, "rejected"],
  [408, "unavailable"],
  [409, "unavailable"],
  [410, "rejected"],
  [425, "unavailable"],
  [429, "unavailable"],
  [451, "rejected"],
  [500, "unavailable"],
  [529, "unavailable"],
])("a status of %i is %s", (status, kind) => {
  expect(llmErrorKindOfStatus(status)).toBe(kind);
});
