import { inflateSync } from "node:zlib";

/*
 * WOFF compresses each TrueType table (W3C, WOFF 1.0). Unpacking once saves seconds: the PDF library would
 * decompress tables for each character.
 */

const headerBytes = { woff: 44, trueType: 12 };
const entryBytes = { woff: 20, trueType: 16 };

/** Throws for files other than WOFF. */
export function convertWoffToTrueType(woff: Buffer): Buffer {
  if (woff.toString("latin1", 0, 4) !== "wOFF") throw new Error("The font is not WOFF");
  const tables = tablesOf(woff);
  const head = Buffer.alloc(headerBytes.trueType + tables.length * entryBytes.trueType);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(tables.length, 4);
  const parts: Uint8Array[] = [head];
  let offset = head.length;
  for (const [at, { tag, checksum, bytes }] of tables.entries()) {
    const entry = headerBytes.trueType + at * entryBytes.trueType;
    head.write(tag, entry, "latin1");
    head.writeUInt32BE(checksum, entry + 4);
    head.writeUInt32BE(offset, entry + 8);
    head.writeUInt32BE(bytes.length, entry + 12);
    // Tables are aligned to four bytes.
    parts.push(bytes, Buffer.alloc(-bytes.length & 3));
    offset += bytes.length + (-bytes.length & 3);
  }
  return Buffer.concat(parts);
}

function tablesOf(woff: Buffer) {
  return Array.from({ length: woff.readUInt16BE(12) }, (_, at) => {
    const entry = headerBytes.woff + at * entryBytes.woff;
    const [offset, stored, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at));
    const bytes = woff.subarray(offset, (offset ?? 0) + (stored ?? 0));
    return {
      tag: woff.toString("latin1", entry, entry + 4),
      checksum: woff.readUInt32BE(entry + 16),
      bytes: stored === length ? bytes : inflateSync(bytes),
    };
  });
}
