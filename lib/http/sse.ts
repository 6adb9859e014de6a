import type { Context } from "hono";

/** Writes one event; a reader who has gone away is no error, the event is dropped. */
export type Send = (event: object) => void;

/** Where the shell finds the end of a stream, to write the request's log line then. */
export const streamEnded = "streamEnded";

/**
 * A Server-Sent Events answer. `produce` sends the events and returns when all is done and stored: only then
 * the stream closes. It runs to its end also when the reader disconnects, so that no answer is lost.
 */
export function eventStream(c: Context, produce: (send: Send) => Promise<void>): Response {
  const encoder = new TextEncoder();
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send: Send = (event) => {
        if (open) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
      };
      const ended = produce(send).finally(() => {
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
  return c.body(body, 200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
  });
}
