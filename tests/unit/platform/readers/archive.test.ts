import { deflateRawSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import {
  type RandomAccess,
  readArchiveDirectory,
} from "../../../../lib/platform/readers/archive-directory.ts";
import { entryBytes, unpackEntry } from "../../../../lib/platform/readers/archive-entry.ts";
import { BeyondBounds } from "../../../../lib/platform/readers/beyond-bounds.ts";
import { UnreadableArchive } from "../../../../lib/platform/readers/zip.ts";
import { writeZip } from "../../../../lib/platform/readers/zip-writer.ts";
import { archiveOf } from "../../../support/archives.ts";

const bounds = { maxEntries: 100, maxBytes: 10_000_000_000 };

/** Bytes in memory that record the length of each read. */
function held(bytes: Uint8Array) {
  const lengths: number[] = [];
  const source: RandomAccess = {
    size: bytes.length,
    async *read(start, end) {
      const part = bytes.subarray(start, end);
      lengths.push(part.length);
      for (let at = 0; at < part.length; at += 65_536) yield part.subarray(at, at + 65_536);
    },
  };
  return { source, lengths };
}

const read = (bytes: Uint8Array) => readArchiveDirectory(held(bytes).source, bounds);

/** The same archive with a changed field in its directory's first entry. */
function changed(change: (directory: Buffer) => void): Buffer {
  const bytes = Buffer.from(zipSync({ "a.txt": Buffer.from("some text") }));
  change(bytes.subarray(bytes.indexOf(Buffer.from("PK\x01\x02", "latin1"))));
  return bytes;
}

async function* given(...chunks: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("the directory of an archive", () => {
  it("lists files with their paths, and leaves out folders", async () => {
    const { entries, refused } = await read(
      zipSync({ "a/b.txt": Buffer.from("x"), "c.txt": Buffer.from("y"), "d/": new Uint8Array() }),
    );
    expect([...entries.keys()]).toEqual(["a/b.txt", "c.txt"]);
    expect(refused).toEqual([]);
  });

  it("rejects entries with paths outside of it, duplicates, links, encryption or other compression, each separately", async () => {
    const packed = deflateRawSync("x");
    const names = [
      "../up.txt",
      "/root.txt",
      "C:\\windows.txt",
      "a/../../b.txt",
      "twice.txt",
      "twice.txt",
      "good.txt",
    ];
    const { entries, refused } = await read(archiveOf(names.map((name) => ({ name, packed, size: 1 }))));
    expect([...entries.keys()]).toEqual(["good.txt"]);
    expect(Object.fromEntries(refused.map(({ name, fault }) => [name, fault]))).toEqual({
      "../up.txt": "archive_path_leaves",
      "/root.txt": "archive_path_leaves",
      "C:/windows.txt": "archive_path_leaves",
      "a/../../b.txt": "archive_path_leaves",
      "twice.txt": "archive_entry_twice",
    });
    const faultOf = async (change: (directory: Buffer) => void) =>
      (await read(changed(change))).refused[0]?.fault;
    expect(await faultOf((one) => one.writeUInt32LE(0xa1ff0000, 38))).toBe("archive_entry_link");
    expect(await faultOf((one) => one.writeUInt16LE(1, 8))).toBe("archive_entry_encrypted");
    expect(await faultOf((one) => one.writeUInt16LE(12, 10))).toBe("archive_entry_packed_otherwise");
  });

  it("rejects other files, a truncated one, and one with too much", async () => {
    await expect(read(Buffer.from("nothing"))).rejects.toThrow(UnreadableArchive);
    const bytes = zipSync({ "a.txt": Buffer.from("some text") });
    await expect(read(bytes.subarray(30))).rejects.toThrow(UnreadableArchive);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`${at}`, Buffer.from("x")]));
    await expect(read(zipSync(many))).rejects.toThrow(BeyondBounds);
    await expect(
      readArchiveDirectory(held(zipSync({ a: Buffer.alloc(1000) })).source, {
        maxEntries: 9,
        maxBytes: 999,
      }),
    ).rejects.toThrow(BeyondBounds);
  });
});

describe("an entry of an archive", () => {
  const entryIn = async (bytes: Uint8Array, name: string) => {
    const { source } = held(bytes);
    const entry = (await readArchiveDirectory(source, bounds)).entries.get(name);
    if (!entry) throw new Error("no entry");
    return { source, entry };
  };

  it("is unpacked, and checked against the directory: more bytes, other ones and a bomb are rejected", async () => {
    const good = await entryIn(zipSync({ "a.txt": Buffer.from("some text") }), "a.txt");
    expect(String(await entryBytes(good.source, good.entry, 100))).toBe("some text");
    await expect(entryBytes(good.source, good.entry, 8)).rejects.toThrow(BeyondBounds);
    const lies = await entryIn(
      archiveOf([{ name: "a", packed: deflateRawSync("x".repeat(100)), size: 10 }]),
      "a",
    );
    await expect(entryBytes(lies.source, lies.entry, 100)).rejects.toThrow(UnreadableArchive);
    const damaged = await entryIn(
      changed((one) => one.writeUInt32LE(7, 16)),
      "a.txt",
    );
    await expect(entryBytes(damaged.source, damaged.entry, 100)).rejects.toThrow(UnreadableArchive);
    const bomb = await entryIn(zipSync({ a: Buffer.alloc(3_000_000) }), "a");
    await expect(entryBytes(bomb.source, bomb.entry, 100_000_000)).rejects.toThrow("times the bytes");
  });

  it("of two gigabytes is read a chunk at a time, in an archive beyond 4 GB too, without more in memory", async () => {
    // An archive generated on read: 5 GB of stored films with a ZIP64 directory.
    const size = 5_000_000_000;
    const name = Buffer.from("film.mp4");
    const header = Buffer.alloc(30);
    header.write("PK\x03\x04", "latin1");
    header.writeUInt16LE(name.length, 26);
    const start = header.length + name.length;
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", "latin1");
    for (const at of [20, 24]) entry.writeUInt32LE(0xffffffff, at);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(20, 30);
    const extra = Buffer.alloc(20);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    extra.writeBigUInt64LE(BigInt(size), 4);
    extra.writeBigUInt64LE(BigInt(size), 12);
    const directory = Buffer.concat([entry, name, extra]);
    const end = Buffer.alloc(98);
    end.write("PK\x06\x06", "latin1");
    end.writeBigUInt64LE(1n, 32);
    end.writeBigUInt64LE(BigInt(directory.length), 40);
    end.writeBigUInt64LE(BigInt(start + size), 48);
    end.write("PK\x06\x07", 56, "latin1");
    end.writeBigUInt64LE(BigInt(start + size + directory.length), 64);
    end.write("PK\x05\x06", 76, "latin1");
    end.fill(0xff, 84, 96);
    const whole = [Buffer.concat([header, name]), size, Buffer.concat([directory, end])] as const;
    const zeros = Buffer.alloc(1024 * 1024);
    const source: RandomAccess = {
      size: start + size + directory.length + end.length,
      async *read(from, to) {
        if (to <= start) yield whole[0].subarray(from, to);
        else if (from >= start + size) yield whole[2].subarray(from - start - size, to - start - size);
        else
          for (let at = from; at < Math.min(to, start + size); at += zeros.length)
            yield zeros.subarray(0, Math.min(zeros.length, to - at));
      },
    };
    // The scanned tail includes a part of the film.
    const looked: RandomAccess = {
      ...source,
      read: (from, to) =>
        from < start + size && to > start + size
          ? tail(source, from, to, start + size)
          : source.read(from, to),
    };
    const found = (await readArchiveDirectory(looked, bounds)).entries.get("film.mp4");
    expect(found).toMatchObject({ size, packedSize: size });
    if (!found) throw new Error("no entry");
    let length = 0;
    for await (const chunk of unpackEntry(looked, found, size)) {
      length += chunk.length;
      expect(chunk.length).toBeLessThanOrEqual(zeros.length);
      if (length > 64 * zeros.length) break;
    }
    await expect(unpackEntry(looked, found, 2_000_000_000).next()).rejects.toThrow(
      "should have at most 2000 MB",
    );
  });
});

async function* tail(
  source: RandomAccess,
  from: number,
  to: number,
  middle: number,
): AsyncGenerator<Uint8Array> {
  yield* source.read(from, middle);
  yield* source.read(middle, to);
}

describe("a written archive", () => {
  it("is read as its input, and is pulled no faster than it is sent", async () => {
    const files = { "ä/text.txt": "Text ".repeat(1000), "empty.txt": "", "film.mp4": "\u0000\u0001" };
    const entries = async function* () {
      for (const [name, text] of Object.entries(files))
        yield { name, content: given(text.slice(0, 3), text.slice(3)), isPacked: name.endsWith("mp4") };
    };
    const chunks: Uint8Array[] = [];
    for await (const chunk of writeZip(entries())) chunks.push(chunk);
    const { source } = held(Buffer.concat(chunks));
    const directory = await readArchiveDirectory(source, bounds);
    expect(directory.refused).toEqual([]);
    for (const [name, text] of Object.entries(files)) {
      const entry = directory.entries.get(name);
      expect([name, entry && String(await entryBytes(source, entry, 10_000))]).toEqual([name, text]);
    }
  });
});
