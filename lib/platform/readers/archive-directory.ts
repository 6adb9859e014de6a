import { BeyondBounds } from "./beyond-bounds.ts";
import { decodeEntryPath } from "./entry-name.ts";
import { UnreadableArchive } from "./zip.ts";

/** Bytes read by range, such as an object in the file store. */
export type RandomAccess = {
  size: number;
  /** `end` is exclusive. Returns fewer bytes at the end of the file. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
};

/** Readers do not trust its stated sizes. */
export type ArchiveEntry = {
  name: string;
  method: number;
  packedSize: number;
  size: number;
  crc32: number;
  offset: number;
};

export type EntryFault =
  | "archive_path_leaves"
  | "archive_entry_encrypted"
  | "archive_entry_link"
  | "archive_entry_twice"
  | "archive_entry_packed_otherwise";

export type ArchiveDirectory = {
  entries: Map<string, ArchiveEntry>;
  refused: { name: string; fault: EntryFault }[];
};

/** `maxBytes` counts unpacked bytes. */
export type DirectoryBounds = { maxEntries: number; maxBytes: number };

const endOfDirectory = Buffer.from("PK\x05\x06", "latin1");
const locatorOf64 = 0x07064b50;
const endOfDirectory64 = 0x06064b50;
const headerOfEntry = 0x02014b50;

/** The end record has 22 bytes, and a comment of up to 65 535. */
const maxZipEndRecordBytes = 22 + 65_535;

/** An entry takes some hundred bytes of the directory. */
const maxZipDirectoryBytes = 16 * 1024 * 1024;

export async function readBytes(source: RandomAccess, start: number, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read(start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Reads only the directory of a ZIP or ZIP64 archive. `refused` lists paths outside the archive, duplicates,
 * links, encryption and unknown compression. Throws UnreadableArchive and BeyondBounds.
 */
export async function readArchiveDirectory(
  source: RandomAccess,
  { maxEntries, maxBytes }: DirectoryBounds,
): Promise<ArchiveDirectory> {
  const { start, size, count } = await directoryPosition(source);
  if (count > maxEntries) throw new BeyondBounds(maxEntries, "entries");
  if (size > maxZipDirectoryBytes) throw new BeyondBounds(maxZipDirectoryBytes / 1024, "KiB of directory");
  const directory = await readBytes(source, start, start + size);
  if (directory.length < size) throw new UnreadableArchive("its directory is cut off");
  const listed = entriesIn(directory, count);
  const bytes = listed.reduce((sum, { entry }) => sum + entry.size, 0);
  if (bytes > maxBytes) throw new BeyondBounds(maxBytes / 1_000_000, "MB when unpacked");
  // Packed sizes above the archive's size mean overlapping entries.
  if (listed.reduce((sum, { entry }) => sum + entry.packedSize, 0) > source.size)
    throw new UnreadableArchive("its files overlap");
  return sorted(listed);
}

async function directoryPosition(source: RandomAccess) {
  const from = Math.max(0, source.size - maxZipEndRecordBytes);
  const tail = await readBytes(source, from, source.size);
  const at = tail.lastIndexOf(endOfDirectory);
  if (at < 0 || tail.length < at + 22) throw new UnreadableArchive("it has no directory");
  const found = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
  const isLarge = found.count === 0xffff || found.size === 0xffffffff || found.start === 0xffffffff;
  const position = isLarge ? await position64(source, tail, at) : found;
  const isWithin = position.start + position.size <= source.size;
  if (!isWithin || tail.readUInt16LE(at + 4) !== tail.readUInt16LE(at + 6))
    throw new UnreadableArchive("its directory is outside the file");
  return position;
}

async function position64(source: RandomAccess, tail: Buffer, at: number) {
  if (at < 20 || tail.readUInt32LE(at - 20) !== locatorOf64)
    throw new UnreadableArchive("its directory is broken");
  const end = Number(tail.readBigUInt64LE(at - 12));
  const record = await readBytes(source, end, Math.min(end + 56, source.size));
  if (record.length < 56 || record.readUInt32LE(0) !== endOfDirectory64)
    throw new UnreadableArchive("its directory is broken");
  return {
    count: Number(record.readBigUInt64LE(32)),
    size: Number(record.readBigUInt64LE(40)),
    start: Number(record.readBigUInt64LE(48)),
  };
}

type Listed = { entry: ArchiveEntry; fault: EntryFault | undefined };

function entriesIn(directory: Buffer, count: number): Listed[] {
  const listed: Listed[] = [];
  let at = 0;
  try {
    for (let left = count; left > 0; left--) {
      if (directory.readUInt32LE(at) !== headerOfEntry)
        throw new UnreadableArchive("its directory is broken");
      const endOfName = at + 46 + directory.readUInt16LE(at + 28);
      const endOfExtra = endOfName + directory.readUInt16LE(at + 30);
      const one = entryAt(directory, at, endOfName, endOfExtra);
      if (!one.entry.name.endsWith("/")) listed.push(one);
      at = endOfExtra + directory.readUInt16LE(at + 32);
    }
  } catch (error) {
    throw error instanceof RangeError ? new UnreadableArchive("its directory is cut off") : error;
  }
  return listed;
}

function entryAt(directory: Buffer, at: number, endOfName: number, endOfExtra: number): Listed {
  const flags = directory.readUInt16LE(at + 8);
  const method = directory.readUInt16LE(at + 10);
  const extra = directory.subarray(endOfName, endOfExtra);
  const name = decodeEntryPath(directory.subarray(at + 46, endOfName), flags, extra);
  const [size, packedSize, offset] = wideNumbers(
    [directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)],
    extra,
  ) as [number, number, number];
  const entry = { name, method, packedSize, size, offset, crc32: directory.readUInt32LE(at + 16) };
  // The upper half holds the Unix mode, if the archive was made there.
  const isLink = ((directory.readUInt32LE(at + 38) >>> 16) & 0xf000) === 0xa000;
  const fault = leavesArchive(name)
    ? "archive_path_leaves"
    : (flags & 0x41) !== 0
      ? "archive_entry_encrypted"
      : isLink
        ? "archive_entry_link"
        : method !== 0 && method !== 8
          ? "archive_entry_packed_otherwise"
          : undefined;
  return { entry, fault };
}

/** Values that exceed their fields are in the ZIP64 extra field, in this order. */
function wideNumbers(narrow: readonly number[], extra: Buffer): number[] {
  let wide: Buffer | undefined;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) wide = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  let next = 0;
  return narrow.map((value) => {
    if (value !== 0xffffffff || !wide) return value;
    const number = Number(wide.readBigUInt64LE(next));
    next += 8;
    return number;
  });
}

/** An absolute path, a path with `..`, or one with a NUL. */
const leavesArchive = (name: string): boolean =>
  name === "" || /^\/|^[a-z]:|\0/i.test(name) || name.split("/").some((part) => part === "..");

/** Duplicate names are ambiguous: none of them is read. */
function sorted(listed: readonly Listed[]): ArchiveDirectory {
  const names = new Map<string, number>();
  for (const { entry } of listed) names.set(entry.name, (names.get(entry.name) ?? 0) + 1);
  const refused = new Map<string, EntryFault>();
  const entries = new Map<string, ArchiveEntry>();
  for (const { entry, fault } of listed) {
    const why = (names.get(entry.name) ?? 0) > 1 ? (fault ?? "archive_entry_twice") : fault;
    if (why) refused.set(entry.name, why);
    else entries.set(entry.name, entry);
  }
  return { entries, refused: [...refused].map(([name, fault]) => ({ name, fault })) };
}
