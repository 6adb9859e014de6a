import { crc32, inflateRawSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { BeyondBounds } from "./beyond-bounds.ts";
import { decodeEntryPath } from "./entry-name.ts";

export type TextFile = { name: string; text: string };

export type UnzippedFile = { name: string; bytes: Uint8Array };

/** Of the `wanted` files, in unpacked bytes. */
export type ArchiveBounds = {
  wanted(name: string): boolean;
  maxFiles: number;
  maxBytes: number;
  largestFile?: number;
};

/** Not a ZIP archive, or an unsupported one: encrypted, beyond 4 GB, or split. */
export class UnreadableArchive extends Error {
  override name = "UnreadableArchive";
}

/** The signature of an archive, including an empty one. */
export const isZip = (bytes: Buffer): boolean =>
  ["PK\x03\x04", "PK\x05\x06"].includes(bytes.toString("latin1", 0, 4));

/** Including unwanted entries. */
const maxZipEntries = 5000;

/**
 * Counts bytes while inflating: stated sizes cannot be trusted. Throws BeyondBounds at the first file or byte
 * over a limit, and UnreadableArchive.
 */
export function unzipFiles(
  archive: Buffer,
  { wanted, maxFiles, maxBytes, largestFile = maxBytes }: ArchiveBounds,
): UnzippedFile[] {
  return asArchive(() => {
    const files: UnzippedFile[] = [];
    const names = new Set<string>();
    let unpackedBytes = 0;
    let packedBytes = 0;
    for (const entry of entriesOf(archive)) {
      if (!wanted(entry.name)) continue;
      if (names.has(entry.name)) throw twice(entry);
      names.add(entry.name);
      if (files.length === maxFiles) throw new BeyondBounds(maxFiles, "files");
      packedBytes += entry.packed.length;
      // Packed sizes above the archive's size mean overlapping entries.
      if (packedBytes > archive.length) throw new UnreadableArchive("its files overlap");
      const room = maxBytes - unpackedBytes;
      const content = contentOf(entry, Math.min(largestFile, room));
      if (content === undefined)
        throw largestFile < room
          ? new BeyondBounds(largestFile / 1024, "KiB in each file when unpacked")
          : new BeyondBounds(maxBytes / 1024, "KiB when unpacked");
      unpackedBytes += content.length;
      files.push({ name: entry.name, bytes: content });
    }
    return files;
  });
}

/**
 * Files by name, each unpacked when it is read. A reader returns undefined if its file exceeds `most` bytes.
 * Throws as `unzipFiles` does.
 */
export function indexZip(archive: Buffer): ReadonlyMap<string, (most: number) => Buffer | undefined> {
  const entries = asArchive(() => [...entriesOf(archive)]);
  const counts = Map.groupBy(entries, ({ name }) => name);
  return new Map(
    entries.map((entry) => [
      entry.name,
      (most: number) => {
        if (counts.get(entry.name)?.length !== 1) throw twice(entry);
        return asArchive(() => contentOf(entry, most));
      },
    ]),
  );
}

const twice = ({ name }: Entry): UnreadableArchive => new UnreadableArchive(`it has two files named ${name}`);

function asArchive<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BeyondBounds || error instanceof UnreadableArchive) throw error;
    throw new UnreadableArchive("not a ZIP archive", { cause: error });
  }
}

type Entry = { name: string; method: number; checksum: number; packed: Buffer };

const stored = 0;
const deflated = 8;

const endOfDirectory = Buffer.from("PK\x05\x06", "latin1");
const headerOfEntry = 0x02014b50;

function* entriesOf(archive: Buffer): Generator<Entry> {
  const end = archive.lastIndexOf(endOfDirectory);
  if (end < 0) throw new UnreadableArchive("it has no directory");
  const count = archive.readUInt16LE(end + 10);
  if (count > maxZipEntries) throw new BeyondBounds(maxZipEntries, "entries");
  let at = archive.readUInt32LE(end + 16);
  for (let left = count; left > 0; left--) {
    if (archive.readUInt32LE(at) !== headerOfEntry) throw new UnreadableArchive("its directory is broken");
    const endOfName = at + 46 + archive.readUInt16LE(at + 28);
    const endOfExtra = endOfName + archive.readUInt16LE(at + 30);
    yield entryAt(archive, at, endOfName, endOfExtra);
    at = endOfExtra + archive.readUInt16LE(at + 32);
  }
}

function entryAt(archive: Buffer, at: number, endOfName: number, endOfExtra: number): Entry {
  const local = archive.readUInt32LE(at + 42);
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const flags = archive.readUInt16LE(at + 8);
  return {
    name: decodeEntryPath(
      archive.subarray(at + 46, endOfName),
      flags,
      archive.subarray(endOfName, endOfExtra),
    ),
    method: archive.readUInt16LE(at + 10),
    checksum: archive.readUInt32LE(at + 16),
    packed: archive.subarray(start, start + archive.readUInt32LE(at + 20)),
  };
}

/** Undefined as soon as the content exceeds `most` bytes. */
function contentOf(entry: Entry, most: number): Buffer | undefined {
  const content = unpacked(entry, most);
  if (content && crc32(content) !== entry.checksum)
    throw new UnreadableArchive("an entry is damaged: its checksum differs");
  return content;
}

function unpacked({ method, packed }: Entry, most: number): Buffer | undefined {
  if (method === stored) return packed.length > most ? undefined : packed;
  if (method !== deflated) throw new UnreadableArchive(`compression ${method} is not read`);
  try {
    // zlib rejects a limit of 0.
    const content = inflateRawSync(packed, { maxOutputLength: Math.max(1, most) });
    return content.length > most ? undefined : content;
  } catch (error) {
    if (error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      return undefined;
    throw error;
  }
}

/** Equal files give an equal archive. */
export const zipFiles = (files: readonly UnzippedFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])), {
    mtime: new Date("1980-01-02T00:00:00Z"),
  });

export const zipTexts = (files: readonly TextFile[]): Uint8Array =>
  zipFiles(files.map(({ name, text }) => ({ name, bytes: strToU8(text) })));
