import type { Context } from "hono";
import { currentRequest, runInRequestContext } from "../platform/async/request-context.ts";
import { streamEndedKey } from "./sse.ts";

/**
 * An error aborts the response. Each chunk is produced when the client reads it, and counts as the request's
 * work.
 */
export function byteStreamResponse(
  c: Context,
  chunks: AsyncGenerator<Uint8Array>,
  {
    type,
    disposition,
    status = 200,
    headers = {},
  }: { type: string; disposition?: string; status?: 200 | 206; headers?: Record<string, string> },
): Response {
  const request = currentRequest();
  const next = () => (request ? runInRequestContext(request, () => chunks.next()) : chunks.next());
  const ended = Promise.withResolvers<void>();
  c.set(streamEndedKey, ended.promise);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await next();
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
  return c.body(body, status, {
    ...headers,
    "Content-Type": type,
    ...(disposition && { "Content-Disposition": disposition }),
  });
}
