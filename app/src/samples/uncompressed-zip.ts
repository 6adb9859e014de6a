type Entry = { name: Uint8Array; bytes: Uint8Array; crc: number; start: number };

/** A ZIP archive of small files, without compression. */
export function buildUncompressedZip(
  files: Readonly<Record<string, string | Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const entries: Entry[] = [];
  let length = 0;
  const add = (...added: Uint8Array[]) => {
    for (const part of added) {
      parts.push(part);
      length += part.length;
    }
  };
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const entry = { name: new TextEncoder().encode(path), bytes, crc: crc32(bytes), start: length };
    entries.push(entry);
    add(fields([0x04034b50, 4], ...shared(entry), [0, 2]), entry.name, bytes);
  }
  const directory = length;
  for (const entry of entries)
    add(
      fields([0x02014b50, 4], [20, 2], ...shared(entry), [0, 4], [0, 4], [0, 4], [entry.start, 4]),
      entry.name,
    );
  const count = entries.length;
  add(
    fields([0x06054b50, 4], [0, 4], [count, 2], [count, 2], [length - directory, 4], [directory, 4], [0, 2]),
  );
  return joined(parts, length);
}

type Field = [value: number, bytes: 2 | 4];

/** Version, UTF-8 names, no compression, 1980-01-01, then checksum and sizes. */
const shared = ({ name, bytes, crc }: Entry): Field[] => [
  ...([
    [20, 2],
    [0x0800, 2],
    [0, 2],
    [0, 2],
    [0x21, 2],
  ] satisfies Field[]),
  ...([
    [crc, 4],
    [bytes.length, 4],
    [bytes.length, 4],
    [name.length, 2],
  ] satisfies Field[]),
];

function fields(...given: Field[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(given.reduce((sum, [, size]) => sum + size, 0)));
  let at = 0;
  for (const [value, size] of given) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
