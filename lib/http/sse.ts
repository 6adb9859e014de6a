import type { Context } from "hono";
import { BufferedResponse } from "./buffered-response.ts";
import { HeaderMap } from "./header-map.ts";

/** After a disconnect, events are dropped. */
export type SendSseText = (text: string) => void;

/** A server's socket or Lambda's response stream. */
export type SseSink = { write(text: string): void; end(text: string): void };

export const formatSseEvent = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** A comment, which clients ignore. Keeps the connection alive. */
export const keepAliveComment = ": the answer is still to come\n\n";

/** The promise resolves when the stream ends, for the log line. */
export const streamEndedKey = "streamEndedKey";

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/**
 * `produce` ends the stream when everything is sent and stored, also after a disconnect: no answer is lost.
 * Events of one tick are written together.
 */
export function startEventStream(c: Context, produce: (send: SendSseText) => Promise<void>): EventStream {
  const stream = new EventStream();
  const ended = produce((text) => stream.send(text)).finally(() => stream.end());
  c.set(
    streamEndedKey,
    ended.catch(() => undefined),
  );
  return stream;
}

/** Events that are all known are sent as one body. */
export const bufferedEventStreamResponse = (events: Uint8Array<ArrayBuffer>): BufferedResponse =>
  new BufferedResponse(events, 200, headers);

/** Events are buffered until the target is known, and dropped after a disconnect. */
export class EventStream {
  readonly status = 200;
  readonly ok = true;
  readonly headers = new HeaderMap(headers);
  #sink: SseSink | undefined;
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

  sendTo(sink: SseSink): void {
    this.#sink = sink;
    this.#flush();
  }

  leave(): void {
    this.#state = "left";
  }

  /** A web stream costs several times as much for each event. */
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

const sinkOf = (controller: ReadableStreamDefaultController<Uint8Array>): SseSink => ({
  write: (text) => controller.enqueue(encoder.encode(text)),
  end(text) {
    if (text) controller.enqueue(encoder.encode(text));
    controller.close();
  },
});
