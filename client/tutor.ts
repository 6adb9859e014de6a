import { EventSourceParserStream } from "eventsource-parser/stream";
import type { components } from "./api.ts";
import type { PlatformClient } from "./client.ts";
import { PlatformError, type TutorQuestion } from "./errors.ts";

export type TutorSource = components["schemas"]["ChatMessage"]["sources"][number];

/**
 * A chunk of the tutor's answer, or its end: the stored message's id, question and sources, or why it failed.
 * After `restart`, discard the text so far: the answer starts over.
 */
export type TutorEvent =
  | { content: string; done: false; restart?: true }
  | {
      content: "";
      done: true;
      message_id: number;
      question?: TutorQuestion;
      moves?: string[];
      sources?: TutorSource[];
    }
  | { content: ""; done: true; error: string; code: string; retry_after?: number };

/** The stream ended before the answer, as on a network failure. The service completes the answer. */
export class StreamCut extends Error {
  override name = "StreamCut";
}

/**
 * The events of a tutor's answer as they arrive. Make the request with `parseAs: "stream"` and pass its
 * `data`. Throws `StreamCut` if the stream ends early.
 */
export async function* readTutorEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<TutorEvent> {
  // The DOM's and Node's types disagree on the decoder's input.
  const decoder = new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>;
  const reader = stream.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let part = await read(reader); !part.done; part = await read(reader)) {
      const event: TutorEvent = JSON.parse(part.value.data);
      yield event;
      if (event.done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  throw new StreamCut("The stream ended before the answer did");
}

/** Treats a broken connection as a cut stream on all platforms. */
async function read<Part>(reader: ReadableStreamDefaultReader<Part>) {
  try {
    return await reader.read();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new StreamCut("The connection broke before the answer ended", { cause });
  }
}

/** A message that chooses an option. */
export const choiceOf = ({ questionId }: TutorQuestion, answer: string): string =>
  JSON.stringify({ questionId, answer });

/**
 * Whether a message was rejected because its aside is closed: a newer one was started in the same
 * conversation. Send the text there, or start another (`createChatSession` with `aside_of`).
 */
export const isClosedAside = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === "aside_closed";

/**
 * Whether a choice was rejected because the tutor has asked another question since, in another tab for
 * example. The error's `current` is the message with that question.
 */
export const isOutdatedChoice = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === "another_question_asked";

export type Asking = {
  sessionId: number;
  /** `Start.`, a choice (`choiceOf`) or any text. */
  content: string;
  /** An idempotency key of the message. Generated if absent. */
  clientMessageId?: string;
  /** For a choice: the tutor's message whose question it answers. Without it, the last question. */
  answersMessageId?: number | undefined;
  signal?: AbortSignal;
  /** Most tries if the stream is cut. */
  attempts?: number;
  /** Pause before a retry, in milliseconds. Doubles each time. */
  pauseMs?: number;
};

/**
 * Sends a message and yields its answer. A cut stream is resumed, starting with `restart`, without sending
 * the message twice. Throws `PlatformError` on an error response, `StreamCut` if it cannot be resumed.
 */
export async function* askTutor(
  client: PlatformClient,
  {
    sessionId,
    content,
    clientMessageId = crypto.randomUUID(),
    answersMessageId,
    signal,
    attempts = 3,
    pauseMs = 500,
  }: Asking,
): AsyncGenerator<TutorEvent> {
  const body = {
    content,
    client_message_id: clientMessageId,
    ...(answersMessageId !== undefined && { answers_message_id: answersMessageId }),
  };
  const request = { params: { path: { session_id: sessionId } }, body, parseAs: "stream" } as const;
  let wasCut: StreamCut | undefined;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      const { data, error, response } = await client.sendChatMessage({
        ...request,
        ...(signal && { signal }),
      });
      if (!data) throw new PlatformError(response, error);
      if (wasCut) yield { content: "", done: false, restart: true };
      return yield* readTutorEvents(data);
    } catch (fault) {
      // After the first event, a network failure counts as a cut stream.
      if (fault instanceof StreamCut) wasCut = fault;
      else if (!wasCut || !(fault instanceof TypeError)) throw fault;
      if (signal?.aborted) throw wasCut;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (attempt - 1)));
    }
  }
  throw wasCut ?? new StreamCut("The answer was not taken up");
}
