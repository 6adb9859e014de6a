import type Anthropic from "@anthropic-ai/sdk";
import type { Message, MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type {
  MessageBatch,
  MessageBatchIndividualResponse,
} from "@anthropic-ai/sdk/resources/messages/batches";
import { toBatchResult } from "./batches.ts";
import {
  type BatchResult,
  type BatchState,
  type LlmBatches,
  LlmError,
  type LlmErrorKind,
  type LlmEvent,
  type LlmRequest,
  type SentBatch,
} from "./provider.ts";
import type { ReasoningMarkOptions } from "./reasoning-filter.ts";
import { createEndEvent } from "./stop-reasons.ts";
import type { LlmFailure } from "./stream-answer.ts";
import { anthropicUsage } from "./token-counts.ts";

export type AnthropicBatchDeps = {
  connect(): Promise<Anthropic>;
  bodyOf(request: LlmRequest): MessageCreateParamsNonStreaming;
  reasoning: ReasoningMarkOptions;
  explain(error: unknown): LlmFailure;
};

/**
 * Message Batches have no name, and request ids appear only with results. A batch whose send got no response
 * is found by the results of unknown batches.
 */
export function anthropicBatches({ connect, bodyOf, reasoning, explain }: AnthropicBatchDeps): LlmBatches {
  const asked = async <T>(ask: (batches: Anthropic["messages"]["batches"]) => Promise<T>): Promise<T> => {
    try {
      return await ask((await connect()).messages.batches);
    } catch (error) {
      throw failureOf(error, explain);
    }
  };
  return {
    send: ({ marker }, requests, signal) =>
      asked(async (batches) => {
        const sent = requests.map(({ call, request }) => ({
          custom_id: `${marker}-${call}`,
          params: bodyOf(request),
        }));
        return (await batches.create({ requests: sent }, { signal })).id;
      }),
    find: (batch, known, signal) => asked((batches) => findUnanswered(batches, batch, known, signal)),
    look: (id, signal) =>
      asked(async (batches) => stateOf(await batches.retrieve(id, {}, { signal }))).catch(lostIfMissing),
    async *results(id, marker, signal) {
      const results = await asked((batches) => batches.results(id, {}, { signal }));
      try {
        for await (const one of results) {
          const result = await resultOf(one, marker, reasoning);
          if (result) yield result;
        }
      } catch (error) {
        throw failureOf(error, explain);
      }
    },
    cancel: (id, signal) =>
      asked(async (batches) => {
        const { processing_status } = await batches.retrieve(id, {}, { signal });
        if (processing_status === "in_progress") await batches.cancel(id, {}, { signal });
      }),
    check: (signal) => asked(async (batches) => void (await batches.list({ limit: 1 }, { signal }))),
  };
}

/** A 404, which callers handle separately. */
class Missing extends LlmError {}

function failureOf(error: unknown, explain: AnthropicBatchDeps["explain"]): LlmError {
  if (error instanceof LlmError) return error;
  const { kind = "unavailable", status, reason, retryAfter } = explain(error);
  return new (status === 404 ? Missing : LlmError)(kind, `direct_api: ${reason}`, retryAfter);
}

function lostIfMissing(error: unknown): BatchState {
  if (error instanceof Missing) return "lost";
  throw error;
}

/** Results expire after a month; then the batch is lost. */
const stateOf = ({ processing_status, results_url, archived_at }: MessageBatch): BatchState => {
  if (processing_status !== "ended") return "working";
  return results_url && !archived_at ? "ended" : "lost";
};

/** Tolerated clock difference. */
const toleranceMs = 5 * 60_000;

async function findUnanswered(
  batches: Anthropic["messages"]["batches"],
  { marker, sentAt, requests }: SentBatch,
  known: readonly string[],
  signal: AbortSignal,
): Promise<{ id: string } | "none" | "unclear"> {
  let isUnclear = false;
  for await (const batch of batches.list({ limit: 100 }, { signal })) {
    if (Date.parse(batch.created_at) < sentAt.getTime() - toleranceMs) break;
    const counted = Object.values(batch.request_counts).reduce((sum, count) => sum + count, 0);
    if (known.includes(batch.id) || counted !== requests) continue;
    if (stateOf(batch) === "working") isUnclear = true;
    else if (stateOf(batch) === "ended" && (await isMarked(batches, batch.id, marker, signal)))
      return { id: batch.id };
  }
  return isUnclear ? "unclear" : "none";
}

async function isMarked(
  batches: Anthropic["messages"]["batches"],
  id: string,
  marker: string,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { custom_id } of await batches.results(id, {}, { signal }))
    return custom_id.startsWith(marker);
  return false;
}

async function resultOf(
  { custom_id, result }: MessageBatchIndividualResponse,
  marker: string,
  reasoning: ReasoningMarkOptions,
): Promise<BatchResult | undefined> {
  const call = Number(custom_id.slice(marker.length + 1));
  if (!custom_id.startsWith(`${marker}-`) || !Number.isSafeInteger(call)) return undefined;
  if (result.type === "succeeded")
    return toBatchResult(call, eventsOf(result.message), { provider: "direct_api", reasoning });
  if (result.type !== "errored")
    return {
      call,
      failure: { kind: "unavailable", reason: `direct_api: the batch's request was ${result.type}` },
    };
  const { type } = result.error.error;
  return { call, failure: { kind: kindOfError(type), reason: `direct_api: ${type} in a batch` } };
}

const kindOfError = (type: string): LlmErrorKind =>
  [
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "billing_error",
    "not_found_error",
  ].includes(type)
    ? "rejected"
    : "unavailable";

async function* eventsOf({ content, stop_reason, usage }: Message): AsyncGenerator<LlmEvent, void> {
  for (const block of content) {
    if (block.type === "text" && block.text !== "") yield { type: "text", text: block.text };
    if (block.type === "tool_use")
      yield { type: "call", name: block.name, input: JSON.stringify(block.input) };
  }
  yield createEndEvent(stop_reason, anthropicUsage(usage ?? {}));
}
