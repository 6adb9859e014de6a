import type { Context } from "hono";
import { WholeAnswer } from "./whole-answer.ts";

/** Writes events, as `eventText` puts them; a reader who has gone away is no error, the events are dropped. */
export type Send = (text: string) => void;

const encoder = new TextEncoder();

/** An event as it is sent. */
export const eventText = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** Where the shell finds the end of a stream, to write the request's log line then. */
export const streamEnded = "streamEnded";

/**
 * A Server-Sent Events answer. `produce` sends the events and returns when all is done and stored: only then
 * the stream closes. It runs to its end also when the reader disconnects, so that no answer is lost. Events that are
 * sent in one go leave in one write.
 */
export function eventStream(c: Context, produce: (send: Send) => Promise<void>): Response {
  let open = true;
  let waiting = "";
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const flush = () => {
        if (open && waiting) controller.enqueue(encoder.encode(waiting));
        waiting = "";
      };
      const send: Send = (text) => {
        if (!waiting) setImmediate(flush);
        waiting += text;
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
export const wholeEventStream = (text: string): WholeAnswer => new WholeAnswer(text, 200, headers);

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
