import type { Context } from "hono";
import { streamEnded } from "./sse.ts";

/** A file that is sent as it is made, for what may be too large to hold. A failure breaks the answer off. */
export function byteStream(
  c: Context,
  chunks: AsyncGenerator<Uint8Array>,
  { type, disposition }: { type: string; disposition: string },
): Response {
  const ended = Promise.withResolvers<void>();
  c.set(streamEnded, ended.promise);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(new Uint8Array(value));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      ended.resolve();
    },
    async cancel() {
      await chunks.return(undefined);
      ended.resolve();
    },
  });
  return c.body(body, 200, {
    "Content-Type": type,
    "Content-Disposition": disposition,
  });
}
