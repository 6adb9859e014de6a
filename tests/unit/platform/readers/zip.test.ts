import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { BeyondBounds } from "../../../../lib/platform/readers/beyond-bounds.ts";
import { indexZip, UnreadableArchive, unzipFiles, zipTexts } from "../../../../lib/platform/readers/zip.ts";
import { archiveOf, packedText } from "../../../support/archives.ts";

const bounds = { wanted: (name: string) => name.endsWith(".csv"), maxFiles: 3, maxBytes: 10_000 };

const read = (archive: Uint8Array, more: Partial<typeof bounds & { largestFile: number }> = {}) =>
  unzipFiles(Buffer.from(archive), { ...bounds, ...more }).map(({ name, bytes }) => ({
    name,
    text: Buffer.from(bytes).toString(),
  }));

/** A megabyte in a kilobyte. */
const bomb = packedText("x".repeat(1_000_000));

describe("indexZip", () => {
  it("reads single files within a bound, and rejects what is no archive", () => {
    const files = indexZip(Buffer.from(archiveOf([{ name: "a.png", packed: bomb, size: 10 }])));
    expect([...files.keys()]).toEqual(["a.png"]);
    expect(files.get("a.png")?.(999_999)).toBeUndefined();
    expect(files.get("a.png")?.(1_000_000)).toHaveLength(1_000_000);
    expect(() => indexZip(Buffer.from("no archive"))).toThrow(UnreadableArchive);
    expect(() => indexZip(Buffer.from(zipTexts([{ name: "a", text: "b" }])).subarray(0, 60))).toThrow(
      UnreadableArchive,
    );
  });
});

describe("unzipFiles", () => {
  it("reads packed, stored or deflated files, in the order of the archive, and skips the rest", () => {
    const files = [
      { name: "a/people.csv", text: "email\nä@example.edu" },
      { name: "ß.csv", text: "" },
    ];
    expect(read(zipTexts(files))).toEqual(files);
    const stored = zipSync({ "a.csv": [Buffer.from("a,b"), { level: 0 }], "b.png": Buffer.alloc(50_000, 1) });
    expect(read(stored)).toEqual([{ name: "a.csv", text: "a,b" }]);
    // Offsets fail after a prefix, as in self-extracting archives, but not before a suffix.
    expect(read(Buffer.concat([zipTexts(files), Buffer.from("\0\0")]))).toEqual(files);
  });

  it("counts bytes while inflating, whatever sizes the archive states", () => {
    const tooMuch = () => read(archiveOf([{ name: "a.csv", packed: bomb, size: 10 }]));
    expect(tooMuch).toThrow(BeyondBounds);
    expect(tooMuch).toThrow("should have at most 9.765625 KiB when unpacked");
    const half = packedText("x".repeat(6000));
    const both = [
      { name: "a.csv", packed: half },
      { name: "b.csv", packed: half },
    ];
    expect(() => read(archiveOf(both))).toThrow("when unpacked");
    expect(() => read(archiveOf(both), { largestFile: 5120 })).toThrow("at most 5 KiB in each file");
    expect(read(archiveOf(both.slice(1)))).toHaveLength(1);
    expect(() => read(archiveOf([{ name: "a.csv", packed: packedText("x".repeat(10_001)) }]))).toThrow();
    expect(read(archiveOf([{ name: "a.csv", packed: packedText("x".repeat(10_000)) }]))).toHaveLength(1);
  });

  it("counts entries of any kind, and files that are wanted", () => {
    const entry = (name: string) => ({ name, packed: packedText("") });
    const many = (count: number, kind: string) =>
      Array.from({ length: count }, (_, at) => entry(`${at}.${kind}`));
    expect(read(archiveOf(many(5000, "png")))).toEqual([]);
    expect(() => read(archiveOf(many(5001, "png")))).toThrow("should have at most 5000 entries");
    expect(() => read(archiveOf(many(4, "csv")))).toThrow("should have at most 3 files");
  });

  it("takes no bytes for those of several files", () => {
    const packed = packedText(String(Array.from({ length: 400 }, (_, at) => at * 7919)));
    const overlapping = ["a", "b", "c"].map((name) => ({ name: `${name}.csv`, packed, at: 0 }));
    const { at: _, ...first } = overlapping[0] ?? { name: "", packed };
    expect(() => read(archiveOf([first, ...overlapping.slice(1)]), { maxBytes: 1e6 })).toThrow(
      UnreadableArchive,
    );
  });

  it("rejects damaged files, stored or deflated, and two files of one name", () => {
    const packed = packedText("a,b");
    const [one, other] = [
      { name: "a.csv", packed },
      { name: "b\\c.csv", packed },
    ];
    expect(read(archiveOf([one, other])).map(({ name }) => name)).toEqual(["a.csv", "b/c.csv"]);
    const stored = Buffer.from(zipSync({ "a.csv": [Buffer.from("a,b"), { level: 0 }] }));
    stored[stored.indexOf("a,b")] = "x".charCodeAt(0);
    const damaged = archiveOf([{ ...one, checksum: 7 }]);
    const doubled = archiveOf([one, other, { ...other, name: "./b/c.csv" }]);
    for (const archive of [stored, damaged, doubled]) {
      expect(() => read(archive)).toThrow(UnreadableArchive);
      const reads = [...indexZip(Buffer.from(archive)).values()].map((file) => () => file(1000));
      expect(() => reads.at(-1)?.()).toThrow(UnreadableArchive);
    }
    expect(() => read(doubled)).toThrow("it has two files named b/c.csv");
    expect(indexZip(doubled).get("a.csv")?.(1000)?.toString()).toBe("a,b");
  });

  it("says of anything else that it is no archive", () => {
    const whole = archiveOf([{ name: "a.csv", packed: packedText("a,b\n".repeat(100)) }]);
    const broken = [
      Buffer.alloc(0),
      Buffer.from("no zip archive at all, and yet so long"),
      whole.subarray(10),
      whole.subarray(0, -8),
      archiveOf([{ name: "a.csv", packed: Buffer.from("not deflated") }]),
      archiveOf([], 4000),
    ];
    for (const archive of broken) expect(() => read(archive)).toThrow(UnreadableArchive);
  });
});
