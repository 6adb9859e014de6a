import type { Context } from "hono";

/** Writes one event; a reader who has gone away is no error, the event is dropped. */
export type Send = (event: object) => void;

/** Where the shell finds the end of a stream, to write the request's log line then. */
export const streamEnded = "streamEnded";

/**
 * A Server-Sent Events answer. `produce` sends the events and returns when all is done and stored: only then
 * the stream closes. It runs to its end also when the reader disconnects, so that no answer is lost. Events that are
 * sent in one go, as those of a stored answer are, leave in one write.
 */
export function eventStream(c: Context, produce: (send: Send) => Promise<void>): Response {
  const encoder = new TextEncoder();
  let open = true;
  let waiting = "";
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const flush = () => {
        if (open && waiting) controller.enqueue(encoder.encode(waiting));
        waiting = "";
      };
      const send: Send = (event) => {
        if (!waiting) setImmediate(flush);
        waiting += textOf(event);
      };
      const ended = produce(send).finally(() => {
        flush();
        if (open) controller.close();
        open = false;
      });
      c.set(
        streamEnded,
        ended.catch(() => undefined),
      );
    },
    cancel() {
      open = false;
    },
  });
  return c.body(body, 200, headers);
}

/** The same answer when all of its events are there: it leaves at once. */
export const wholeEventStream = (c: Context, events: readonly object[]): Response =>
  c.body(events.map(textOf).join(""), 200, headers);

const textOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
