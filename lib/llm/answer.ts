import { setTimeout as sleep } from "node:timers/promises";
import { noteOnRequest } from "../async/request-context.ts";
import {
  LlmError,
  type LlmErrorKind,
  type LlmEvent,
  type LlmProvider,
  type LlmRequest,
  LlmTimeout,
  type Refusal,
} from "./provider.ts";
import { type Silence, SilenceWatch } from "./silence-watch.ts";
import { StorableText } from "./storable-text.ts";
import { SpokenText } from "./thinking.ts";

/** A client error in loggable words. Without a kind, the time of failure decides. */
export type Failure = {
  kind?: LlmErrorKind | undefined;
  status?: number | undefined;
  reason: string;
  retryAfter?: number | undefined;
};

/** One call of a provider, in terms of its client. */
export type Call = {
  provider: LlmProvider["name"];
  /** Limit of the whole answer with retries, in milliseconds. */
  timeoutMs: number;
  silenceMs: Silence;
  /** The model starts with its thinking, without an opening tag. */
  thinksUnopened: boolean;
  /**
   * Sends the request and resolves when the answer begins. The signal aborts request and stream. Call `alive`
   * for everything the provider sends, including non-events.
   */
  open(signal: AbortSignal, alive: () => void): Promise<AsyncIterable<LlmEvent>>;
  explain(error: unknown): Failure;
};

/**
 * Enforces the contract of `LlmProvider.stream` and a time limit. Adds the answer's duration to the request
 * context.
 */
export async function* streamAnswer(request: LlmRequest, call: Call): AsyncGenerator<LlmEvent, void> {
  const started = performance.now();
  const deadline = AbortSignal.timeout(call.timeoutMs);
  using silence = new SilenceWatch(call.silenceMs);
  const limits = [deadline, silence.signal];
  const signal = AbortSignal.any(request.signal ? [request.signal, ...limits] : limits);
  let begun = false;
  try {
    signal.throwIfAborted();
    const events = await openAgain(call, signal, silence.alive);
    begun = true;
    for await (const event of spokenEvents(events, call.thinksUnopened)) {
      yield event;
      if (event.type === "end") return;
    }
    // Some clients end an aborted stream normally.
    signal.throwIfAborted();
  } catch (error) {
    const moment: LlmErrorKind = begun ? "interrupted" : "unavailable";
    if (request.signal?.aborted) throw new LlmError("interrupted", `${call.provider}: the caller gave up`);
    if (silence.signal.aborted)
      throw new LlmTimeout(moment, `${call.provider}: no sign of life for ${silence.limitMs} ms`);
    if (deadline.aborted)
      throw new LlmTimeout(moment, `${call.provider}: no whole answer within ${call.timeoutMs} ms`);
    const { kind = moment, reason, retryAfter } = call.explain(error);
    throw new LlmError(kind, `${call.provider}: ${reason}`, retryAfter);
  } finally {
    noteOnRequest({ llm_ms: performance.now() - started });
  }
  throw new LlmError("interrupted", `${call.provider}: the stream ended without its stop event`);
}

/** What a model says, without what it only thinks, in texts that can be stored; up to its end. */
export async function* spokenEvents(
  events: AsyncIterable<LlmEvent>,
  thinksUnopened: boolean,
): AsyncGenerator<LlmEvent, void> {
  const storable = new StorableText();
  const spoken = new SpokenText(thinksUnopened);
  for await (const event of events) {
    const isText = event.type === "text";
    const text = spoken.take(isText ? storable.take(event.text) : storable.rest());
    if (text) yield { type: "text", text };
    if (isText) continue;
    const rest = spoken.rest();
    if (rest) yield { type: "text", text: rest };
    if (event.type === "end") return yield event;
    yield { type: "call", input: event.input.replaceAll("\u0000", "").toWellFormed() };
  }
}

/** Why a question was not taken; undefined when it was. */
export async function refusalOf(
  question: () => Promise<unknown>,
  explain: Call["explain"],
): Promise<Refusal | undefined> {
  try {
    await question();
    return undefined;
  } catch (error) {
    const { status, reason } = explain(error);
    return { status, reason };
  }
}

/** The pauses before a failed call is opened again, in milliseconds. */
const pauses = [100, 400];

/** The longest that a provider may let a learner wait without a word, in seconds. */
const longestSilence = 1;

/**
 * Opens a call, and again where that may help at once. A provider that asks for more time is not asked again: the
 * learner is told to come back then.
 */
async function openAgain(
  call: Call,
  signal: AbortSignal,
  alive: () => void,
): Promise<AsyncIterable<LlmEvent>> {
  for (const pause of pauses) {
    try {
      return await call.open(signal, alive);
    } catch (error) {
      const { kind = "unavailable", retryAfter = 0 } = call.explain(error);
      if (signal.aborted || kind !== "unavailable" || retryAfter > longestSilence) throw error;
      // Spread, so that a class that was refused together does not come back together.
      const spread = pause * (0.5 + Math.random());
      await sleep(Math.max(spread, retryAfter * 1000), undefined, { signal });
    }
  }
  return call.open(signal, alive);
}

/** The kind of a failure that came with an HTTP status. */
export function kindOfStatus(status: number): LlmErrorKind {
  const passing = status >= 500 || status === 408 || status === 409 || status === 429;
  return passing ? "unavailable" : "rejected";
}

/** No provider is waited for longer than that, whatever it says. */
const longestWait = 60 * 60;

/** The seconds of a `Retry-After`, which may also be a date (RFC 9110); undefined where it holds anything else. */
export function secondsOf(retryAfter: string | null | undefined, now = Date.now()): number | undefined {
  const said = retryAfter?.trim() ?? "";
  const seconds = /^\d{1,9}(\.\d+)?$/.test(said) ? Number(said) : (httpDate(said) - now) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), longestWait) : undefined;
}

/** The moment that `Sun, 06 Nov 1994 08:49:37 GMT` names, in milliseconds; NaN of everything else. */
const httpDate = (text: string): number =>
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text) ? Date.parse(text) : Number.NaN;

/** The system's code of a failed connection, such as `ECONNREFUSED`, from anywhere in the chain of causes. */
export function connectionCode(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause)
    if ("code" in link && typeof link.code === "string") return link.code;
  return undefined;
}
