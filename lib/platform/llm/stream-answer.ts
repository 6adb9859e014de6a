import { setTimeout as sleep } from "node:timers/promises";
import { noteOnRequest } from "../async/request-context.ts";
import type { LlmProblem } from "./problems.ts";
import {
  LlmError,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProbeFailure,
  type LlmProvider,
  LlmReaderError,
  type LlmRequest,
  LlmTimeout,
  type LlmUsage,
  noUsage,
} from "./provider.ts";
import { ReasoningFilter, type ReasoningMarkOptions } from "./reasoning-filter.ts";
import { type SilenceLimits, SilenceWatch } from "./silence-watch.ts";
import { classifyStopReason, createEndEvent } from "./stop-reasons.ts";
import { StorableTextFilter } from "./storable-text.ts";

/** Loggable words of a client error. Without a kind, the time of failure decides. */
export type LlmFailure = {
  kind?: LlmErrorKind | undefined;
  status?: number | undefined;
  reason: string;
  retryAfter?: number | undefined;
  problem?: LlmProblem | "content_filter" | undefined;
};

export type StreamAnswerOptions = {
  provider: LlmProvider["name"];
  /** For the whole answer with retries. */
  timeoutMs: number;
  silenceMs: SilenceLimits;
  reasoning: ReasoningMarkOptions;
  /**
   * Resolves when the answer begins. The signal aborts request and stream. Call `alive` for everything
   * received, including non-events.
   */
  open(request: LlmRequest, signal: AbortSignal, alive: () => void): Promise<AsyncIterable<LlmEvent>>;
  explain(error: unknown): LlmFailure;
};

/** Enforces the contract of `LlmProvider.stream` and the time limit; times the call. */
export async function* streamAnswer(
  asked: LlmRequest,
  call: StreamAnswerOptions,
): AsyncGenerator<LlmEvent, void> {
  let usage = noUsage;
  const onUsage = (sofar: LlmUsage) => {
    usage = sofar;
    asked.onUsage?.(sofar);
  };
  const request: LlmRequest = { ...asked, onUsage };
  const started = performance.now();
  const deadline = AbortSignal.timeout(call.timeoutMs);
  using silence = new SilenceWatch(call.silenceMs);
  const limits = [deadline, silence.signal];
  const signal = AbortSignal.any(request.signal ? [request.signal, ...limits] : limits);
  let begun = false;
  try {
    signal.throwIfAborted();
    const events = await openAgain(call, request, signal, silence.alive);
    begun = true;
    for await (const event of storableEventsWithoutReasoning(events, call.reasoning)) {
      if (event.type === "end" && classifyStopReason(event.stop_reason) === "failure")
        throw new LlmError("interrupted", `${call.provider}: the answer ended with an error`);
      yield event;
      if (event.type === "end") return;
    }
    // Some clients end an aborted stream normally.
    signal.throwIfAborted();
  } catch (error) {
    const moment: LlmErrorKind = begun ? "interrupted" : "unavailable";
    if (request.signal?.aborted) throw new LlmError("interrupted", `${call.provider}: the caller cancelled`);
    if (silence.signal.aborted)
      throw new LlmTimeout(moment, `${call.provider}: no event for ${silence.limitMs} ms`);
    if (deadline.aborted)
      throw new LlmTimeout(moment, `${call.provider}: no complete answer within ${call.timeoutMs} ms`);
    if (error instanceof LlmError) throw error;
    if (isOurs(error)) throw new LlmReaderError(call.provider, error);
    const { kind = moment, reason, retryAfter, problem } = call.explain(error);
    if (problem === "content_filter")
      return yield {
        ...createEndEvent("content_filter", usage),
        ...(usage !== noUsage && { brokeOff: true }),
      };
    throw new LlmError(kind, `${call.provider}: ${reason}`, retryAfter, problem);
  } finally {
    noteOnRequest({ llm_ms: performance.now() - started });
  }
  throw new LlmError("interrupted", `${call.provider}: the stream ended without its stop event`);
}

export async function* storableEventsWithoutReasoning(
  events: AsyncIterable<LlmEvent>,
  reasoning: ReasoningMarkOptions,
): AsyncGenerator<LlmEvent, void> {
  const storable = new StorableTextFilter();
  const spoken = new ReasoningFilter(reasoning);
  for await (const event of events) {
    const isText = event.type === "text";
    const text = spoken.take(isText ? storable.take(event.text) : storable.rest());
    if (text) yield { type: "text", text };
    if (isText) continue;
    const rest = spoken.rest();
    if (rest) yield { type: "text", text: rest };
    if (event.type === "end") return yield event;
    yield { ...event, input: event.input.replaceAll("\u0000", "").toWellFormed() };
  }
}

export async function probeForFailure(
  question: () => Promise<unknown>,
  explain: StreamAnswerOptions["explain"],
): Promise<LlmProbeFailure | undefined> {
  try {
    await question();
    return undefined;
  } catch (error) {
    const { status, reason, problem } = explain(error);
    return { status, reason, ...(problem && problem !== "content_filter" && { problem }) };
  }
}

/** Before retries, in milliseconds. */
const pauses = [100, 400];

/** A learner's longest silent wait, in seconds. */
const maxRetryWaitWithinAnswerSeconds = 1;

async function openAgain(
  call: StreamAnswerOptions,
  request: LlmRequest,
  signal: AbortSignal,
  alive: () => void,
): Promise<AsyncIterable<LlmEvent>> {
  for (const pause of pauses) {
    try {
      return await call.open(request, signal, alive);
    } catch (error) {
      const { kind = "unavailable", retryAfter = 0 } = call.explain(error);
      if (
        signal.aborted ||
        isOurs(error) ||
        kind !== "unavailable" ||
        retryAfter > maxRetryWaitWithinAnswerSeconds
      )
        throw error;
      // Jitter, so learners rejected together do not retry together.
      const spread = pause * (0.5 + Math.random());
      await sleep(Math.max(spread, retryAfter * 1000), undefined, { signal });
    }
  }
  return call.open(request, signal, alive);
}

const passingStatuses: readonly number[] = [408, 409, 425, 429];

export function llmErrorKindOfStatus(status: number): LlmErrorKind {
  return status >= 500 || passingStatuses.includes(status) ? "unavailable" : "rejected";
}

/** An exception of this service's code, not of a connection. */
const isOurs = (error: unknown): error is Error =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) &&
  connectionErrorCode(error) === undefined;

export function describeUnnamedFailure(error: unknown): string {
  if (error instanceof SyntaxError) return "the response is not valid JSON";
  // The clients' errors of a connection have no `error`.
  const isSent = error instanceof Error && "error" in error && error.error !== undefined;
  return connectionErrorCode(error) ?? (isSent ? "an error without a type" : "the connection failed");
}

/** A failed connection's error code, such as `ECONNREFUSED`, from the chain of causes. */
export function connectionErrorCode(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause)
    // Providers' codes may be sentences.
    if ("code" in link && /^[A-Z][A-Z\d_]{1,60}$/.test(String(link.code))) return String(link.code);
  return undefined;
}
