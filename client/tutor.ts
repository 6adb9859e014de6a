import { EventSourceParserStream } from "eventsource-parser/stream";
import type { components } from "./api.ts";
import type { PlatformClient } from "./client.ts";
import { PlatformError, type TutorQuestion } from "./errors.ts";

/** A passage of the course that an answer cites. */
export type TutorSource = components["schemas"]["ChatMessage"]["sources"][number];

/**
 * A piece of the tutor's answer, or its end: with the stored message's id, the question that it asks and what it cites, or the reason
 * why it broke off. After `restart` what was told so far does not hold: clear it, the answer is told anew.
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

/** The stream ended before the answer did, as when a network fails. The service goes on with the answer. */
export class StreamCut extends Error {
  override name = "StreamCut";
}

/**
 * The events of a tutor's answer as they arrive. The request is made with `parseAs: "stream"`, and its `data` is
 * what this reads. Throws `StreamCut` when the stream ends before the answer.
 */
export async function* readTutorEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<TutorEvent> {
  // The libraries of Node and of browsers name the bytes that a decoder takes differently.
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

/** A connection that breaks is a stream that was cut, whatever the platform calls it. */
async function read<Part>(reader: ReadableStreamDefaultReader<Part>) {
  try {
    return await reader.read();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new StreamCut("The connection broke before the answer ended", { cause });
  }
}

/** A message that chooses an option of a question. */
export const choiceOf = ({ questionId }: TutorQuestion, answer: string): string =>
  JSON.stringify({ questionId, answer });

/**
 * Whether a message was refused because its aside is closed: another was begun at the same conversation since, and words
 * beside that go there, or into a new one (`createChatSession` with `aside_of`).
 */
export const isClosedAside = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === "aside_closed";

export type Asking = {
  sessionId: number;
  /** `Start.`, a choice (`choiceOf`), or any text. */
  content: string;
  /** The client's own name for the message; one is made up without it. */
  clientMessageId?: string;
  signal?: AbortSignal;
  /** How often the message is sent at most, when its stream is cut. */
  attempts?: number;
  /** Before it is sent again; twice as long each time. */
  pauseMs?: number;
};

/**
 * Sends a message and hears its answer to the end: a stream that was cut is taken up again, with `restart` first, and
 * the message is not said twice. Throws `PlatformError` for what the service refuses, `StreamCut` when it cannot be
 * taken up.
 */
export async function* askTutor(
  client: PlatformClient,
  { sessionId, content, clientMessageId = crypto.randomUUID(), signal, attempts = 3, pauseMs = 500 }: Asking,
): AsyncGenerator<TutorEvent> {
  const body = { content, client_message_id: clientMessageId };
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
      // Once something was heard, a network that is away is a stream that stays cut.
      if (fault instanceof StreamCut) wasCut = fault;
      else if (!wasCut || !(fault instanceof TypeError)) throw fault;
      if (signal?.aborted) throw wasCut;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (attempt - 1)));
    }
  }
  throw wasCut ?? new StreamCut("The answer was not taken up");
}
