import { Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

/** `isPacked`: already compressed, such as a video, so it is stored as is. */
export type WrittenEntry = { name: string; content: AsyncIterable<Uint8Array>; isPacked?: boolean };

type Written = { name: Buffer; crc: number; packed: number; size: number; offset: number };

/** The first of January 1980: equal content gives an equal archive. */
const date = 0x21;

const deflated = 8;

/** Sizes follow the content, and names are UTF-8. */
const flags = 0x808;

const maxUint32 = 0xffffffff;

/** Only the directory stays in memory. Values beyond 4 GB use ZIP64 fields, all others do not. */
export async function* writeZip(entries: AsyncIterable<WrittenEntry>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { name: text, content, isPacked = false } of entries) {
    const name = Buffer.from(text);
    const header = localHeader(name);
    yield header;
    let [crc, size, packed] = [0, 0, 0];
    const counted = async function* () {
      for await (const chunk of content) {
        size += chunk.length;
        crc = crc32(chunk, crc);
        yield chunk;
      }
    };
    for await (const chunk of deflate(counted(), isPacked)) {
      packed += chunk.length;
      yield chunk;
    }
    const descriptor = descriptorOf({ crc, packed, size });
    yield descriptor;
    written.push({ name, crc, packed, size, offset });
    offset += header.length + packed + descriptor.length;
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield endOf(written.length, directory.length, offset);
}

async function* deflate(content: AsyncIterable<Uint8Array>, isPacked: boolean): AsyncGenerator<Uint8Array> {
  const from = Readable.from(content);
  const deflating = createDeflateRaw({ level: isPacked ? 0 : 6 });
  from.on("error", (error) => deflating.destroy(error));
  try {
    yield* from.pipe(deflating);
  } finally {
    from.destroy();
    deflating.destroy();
  }
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflated, 8);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptorOf({ crc, packed, size }: Pick<Written, "crc" | "packed" | "size">): Buffer {
  const isWide = packed > maxUint32 || size > maxUint32;
  const descriptor = Buffer.alloc(isWide ? 24 : 16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  if (isWide) {
    descriptor.writeBigUInt64LE(BigInt(packed), 8);
    descriptor.writeBigUInt64LE(BigInt(size), 16);
  } else {
    descriptor.writeUInt32LE(packed, 8);
    descriptor.writeUInt32LE(size, 12);
  }
  return descriptor;
}

function directoryEntry({ name, crc, packed, size, offset }: Written): Buffer {
  const numbers = [size, packed, offset];
  const wide = numbers.filter((number) => number >= maxUint32);
  const extra = wide.length > 0 ? Buffer.alloc(4 + 8 * wide.length) : Buffer.alloc(0);
  if (wide.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8 * wide.length, 2);
    for (const [at, number] of wide.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * at);
  }
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(45, 4);
  entry.writeUInt16LE(wide.length > 0 ? 45 : 20, 6);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(deflated, 10);
  entry.writeUInt16LE(date, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(Math.min(packed, maxUint32), 20);
  entry.writeUInt32LE(Math.min(size, maxUint32), 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  entry.writeUInt32LE(Math.min(offset, maxUint32), 42);
  return Buffer.concat([entry, name, extra]);
}

function endOf(count: number, size: number, start: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(Math.min(size, maxUint32), 12);
  end.writeUInt32LE(Math.min(start, maxUint32), 16);
  if (count < 0xffff && size < maxUint32 && start < maxUint32) return end;
  const wide = Buffer.alloc(56 + 20);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(45, 12);
  wide.writeUInt16LE(45, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(size), 40);
  wide.writeBigUInt64LE(BigInt(start), 48);
  wide.writeUInt32LE(0x07064b50, 56);
  wide.writeBigUInt64LE(BigInt(start + size), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([wide, end]);
}
