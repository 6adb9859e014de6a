import type { Context } from "hono";
import { BufferedResponse } from "./buffered-response.ts";
import { HeaderMap } from "./header-map.ts";

/** Writes events, as `eventText` puts them; a reader who has gone away is no error, the events are dropped. */
export type Send = (text: string) => void;

/** What takes the events of a stream: a server's socket, or what the platform streams from. */
export type Sink = { write(text: string): void; end(text: string): void };

/** An event as it is sent. */
export const eventText = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** What no client takes for an event: it says that the stream is alive. */
export const commentText = ": the answer is still to come\n\n";

/** Where the shell finds the end of a stream, to write the request's log line then. */
export const streamEnded = "streamEnded";

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/**
 * A Server-Sent Events answer. `produce` sends the events and returns when all is done and stored: only then
 * the stream closes. It runs to its end also when the reader disconnects, so that no answer is lost. Events that are
 * sent in one go leave in one write.
 */
export function eventStream(c: Context, produce: (send: Send) => Promise<void>): EventStream {
  const stream = new EventStream();
  const ended = produce((text) => stream.send(text)).finally(() => stream.end());
  c.set(
    streamEnded,
    ended.catch(() => undefined),
  );
  return stream;
}

/** The same answer when all of its events are there: it leaves at once. */
export const bufferedEventStream = (events: Uint8Array<ArrayBuffer>): BufferedResponse =>
  new BufferedResponse(events, 200, headers);

/** Events on their way out: they wait until it is said where they go to, and are dropped once nobody is there. */
export class EventStream {
  readonly status = 200;
  readonly ok = true;
  readonly headers = new HeaderMap(headers);
  #sink: Sink | undefined;
  #waiting = "";
  #state: "open" | "ended" | "left" = "open";
  #flushing: NodeJS.Immediate | undefined;

  send(text: string): void {
    this.#waiting += text;
    if (this.#sink) this.#flushing ??= setImmediate(() => this.#flush());
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#flush();
  }

  /** Where the events go to from now on, with those that were sent before. */
  sendTo(sink: Sink): void {
    this.#sink = sink;
    this.#flush();
  }

  /** Its reader has gone away. */
  leave(): void {
    this.#state = "left";
  }

  /** The same where an answer is a stream of the web's kind, which costs several times as much for each event. */
  toResponse(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => this.sendTo(sinkOf(controller)),
      cancel: () => this.leave(),
    });
    return new Response(body, { status: this.status, headers: this.headers.values });
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    if (!this.#sink) return;
    const text = this.#waiting;
    this.#waiting = "";
    if (this.#state === "ended") this.#sink.end(text);
    else if (this.#state === "open" && text) this.#sink.write(text);
  }
}

const encoder = new TextEncoder();

const sinkOf = (controller: ReadableStreamDefaultController<Uint8Array>): Sink => ({
  write: (text) => controller.enqueue(encoder.encode(text)),
  end(text) {
    if (text) controller.enqueue(encoder.encode(text));
    controller.close();
  },
});
