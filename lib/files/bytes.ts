import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FileStore } from "../platform/file-store/file-store.ts";

/** Undefined if the object does not exist. */
export async function readFirstBytes(
  store: FileStore,
  key: string,
  count: number,
): Promise<Buffer | undefined> {
  const stream = await store.read(key, { start: 0, end: count });
  return stream && Buffer.concat(await stream.toArray());
}

/** SHA-256 in hexadecimal; holds one chunk in memory at a time. */
export async function hashStream(stream: Readable): Promise<string> {
  const { chunks, digest } = hashWhileStreaming(stream);
  for await (const _ of chunks);
  return digest();
}

/** Passes a stream's chunks through; `digest` is their SHA-256 once all were read. */
export function hashWhileStreaming(stream: Readable): {
  chunks: AsyncIterable<Uint8Array>;
  digest(): string;
} {
  const hash = createHash("sha256");
  async function* counted() {
    for await (const chunk of stream) {
      hash.update(chunk);
      yield chunk as Uint8Array;
    }
  }
  return { chunks: counted(), digest: () => hash.digest("hex") };
}
