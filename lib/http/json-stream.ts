import type { Context } from "hono";
import { streamEnded } from "./sse.ts";

/** JSON that is sent as it is made, for what may be too large to send as a whole. A failure breaks the answer off. */
export function jsonStream(c: Context, pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const ended = Promise.withResolvers<void>();
  c.set(streamEnded, ended.promise);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      ended.resolve();
    },
    async cancel() {
      await pieces.return(undefined);
      ended.resolve();
    },
  });
  return c.body(body, 200, { "Content-Type": "application/json" });
}
