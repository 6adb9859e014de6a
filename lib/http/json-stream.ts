import type { Context } from "hono";
import { byteStream } from "./byte-stream.ts";

/** JSON that is sent as it is made, for what may be too large to send as a whole. A failure breaks the answer off. */
export const jsonStream = (c: Context, pieces: AsyncGenerator<string>): Response =>
  byteStream(c, encoded(pieces), { type: "application/json" });

async function* encoded(pieces: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
