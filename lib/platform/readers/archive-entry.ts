import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type ArchiveEntry, type RandomAccess, readBytes } from "./archive-directory.ts";
import { BeyondBounds } from "./beyond-bounds.ts";
import { UnreadableArchive } from "./zip.ts";

/** A higher ratio indicates a zip bomb, once the output exceeds a minimum. */
const maxCompressionRatio = 200;
const ratioCountsFrom = 1024 * 1024;

/**
 * Throws BeyondBounds above `maxBytes` or the highest ratio, UnreadableArchive if size, checksum or position
 * differ from the directory.
 */
export async function* unpackEntry(
  source: RandomAccess,
  entry: ArchiveEntry,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (entry.size > maxBytes) throw new BeyondBounds(maxBytes / 1_000_000, "MB");
  const start = await entryDataOffset(source, entry);
  const packed = source.read(start, start + entry.packedSize);
  let size = 0;
  let checksum = 0;
  for await (const chunk of entry.method === 0 ? packed : inflated(packed)) {
    size += chunk.length;
    if (size > entry.size) throw new UnreadableArchive("an entry has more bytes than it declares");
    if (size > ratioCountsFrom && size > maxCompressionRatio * entry.packedSize)
      throw new BeyondBounds(maxCompressionRatio, "times the bytes that it was packed into");
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (size !== entry.size || checksum !== entry.crc32)
    throw new UnreadableArchive("an entry is damaged: its size or checksum differs");
}

/** The position of an entry's bytes. The local header may have another extra field than the directory. */
export async function entryDataOffset(source: RandomAccess, { offset }: ArchiveEntry): Promise<number> {
  const header = await readBytes(source, offset, offset + 30);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50)
    throw new UnreadableArchive("an entry is not where the directory says");
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const from = Readable.from(packed);
  const inflate = createInflateRaw();
  from.on("error", (error) => inflate.destroy(error));
  try {
    yield* from.pipe(inflate);
  } catch (error) {
    const isBroken = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isBroken ? new UnreadableArchive("an entry is damaged", { cause: error }) : error;
  } finally {
    from.destroy();
    inflate.destroy();
  }
}

/** Throws like `unpackEntry`. */
export async function entryBytes(
  source: RandomAccess,
  entry: ArchiveEntry,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of unpackEntry(source, entry, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
