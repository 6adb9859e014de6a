import type { Context } from "hono";
import { byteStreamResponse } from "./byte-stream.ts";

/** For JSON too large for one response. An error aborts the response. */
export const jsonStreamResponse = (c: Context, pieces: AsyncGenerator<string>): Response =>
  byteStreamResponse(c, encoded(pieces), { type: "application/json" });

async function* encoded(pieces: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
