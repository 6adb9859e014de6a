import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

/** An archive's entry, and the headers that the archive claims for it. */
export type StatedEntry = { name: string; packed: Buffer; size?: number; at?: number; checksum?: number };

const u16 = (value: number): Buffer => Buffer.from([value & 255, (value >> 8) & 255]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const deflated = u16(8);

const checksums = new WeakMap<Buffer, number>();

/** 0 for bytes that are not deflated. */
function checksumOf(packed: Buffer): number {
  const known = checksums.get(packed);
  if (known !== undefined) return known;
  let checksum = 0;
  try {
    checksum = crc32(inflateRawSync(packed));
  } catch {}
  checksums.set(packed, checksum);
  return checksum;
}

/** Fields that both headers of an entry share: version, flags, method, time, checksum, sizes and lengths. */
const facts = ({ name, packed, size = packed.length, checksum = checksumOf(packed) }: StatedEntry): Buffer =>
  Buffer.concat([
    u16(20),
    u16(0),
    deflated,
    u32(0),
    u32(checksum),
    u32(packed.length),
    u32(size),
    u16(name.length),
    u16(0),
  ]);

/**
 * A ZIP archive with the given headers. An entry with `at` overlaps an earlier one; `count` is the
 * directory's entry count.
 */
export function archiveOf(entries: readonly StatedEntry[], count = entries.length): Buffer {
  const bodies: Buffer[] = [];
  let offset = 0;
  const directory = entries.map((entry) => {
    const at = entry.at ?? offset;
    if (entry.at === undefined) {
      const body = Buffer.concat([
        Buffer.from("PK\x03\x04"),
        facts(entry),
        Buffer.from(entry.name),
        entry.packed,
      ]);
      bodies.push(body);
      offset += body.length;
    }
    return Buffer.concat([
      ...[Buffer.from("PK\x01\x02"), u16(20), facts(entry), u16(0), u16(0), u16(0), u32(0), u32(at)],
      Buffer.from(entry.name),
    ]);
  });
  const end = [Buffer.from("PK\x05\x06"), u32(0), u16(count), u16(count)];
  const length = directory.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([...bodies, ...directory, ...end, u32(length), u32(offset), u16(0)]);
}

export const packedText = (text: string): Buffer => deflateRawSync(text);
