import { expect, it } from "vitest";
import { readArchiveDirectory } from "../../../../lib/platform/readers/archive-directory.ts";
import { decodeEntryName } from "../../../../lib/platform/readers/entry-name.ts";
import { unzipFiles } from "../../../../lib/platform/readers/zip.ts";
import { archiveOf, packedText } from "../../../support/archives.ts";

const none = Buffer.alloc(0);

it("a name is UTF-8 with the flag or if valid, otherwise code page 437", () => {
  expect(decodeEntryName(Buffer.from("Übung.csv"), 0x800, none)).toBe("Übung.csv");
  expect(decodeEntryName(Buffer.from("Übung.csv"), 0, none)).toBe("Übung.csv");
  expect(decodeEntryName(Buffer.from("\x9abung \x80\xe1.csv", "latin1"), 0, none)).toBe("Übung Çß.csv");
  expect(decodeEntryName(Buffer.from("\x9a", "latin1"), 0x800, none)).toBe("Ü");
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(decodeEntryName(every, 0, none)).not.toContain("\ufffd");
  expect(new Set(decodeEntryName(every, 0, none)).size).toBe(256);
});

it("a Unicode path in the extra field replaces the name", () => {
  const path = Buffer.from("日本.csv");
  const extra = Buffer.alloc(9);
  extra.writeUInt16LE(0x7075, 0);
  extra.writeUInt16LE(5 + path.length, 2);
  expect(decodeEntryName(Buffer.from("____.csv"), 0, Buffer.concat([extra, path]))).toBe("日本.csv");
  expect(decodeEntryName(Buffer.from("a.csv"), 0, Buffer.from([1, 0, 200, 0, 1]))).toBe("a.csv");
});

it("both readers of archives use it", async () => {
  const plain = archiveOf([{ name: "a.csv", packed: packedText("a") }]);
  const named = Buffer.from(plain.toString("latin1").replaceAll("a.csv", "\x9a.csv"), "latin1");
  const bounds = { maxEntries: 10, maxBytes: 1000 };
  const source = {
    size: named.length,
    async *read(start: number, end: number) {
      yield named.subarray(start, end);
    },
  };
  expect([...(await readArchiveDirectory(source, bounds)).entries.keys()]).toEqual(["Ü.csv"]);
  const files = unzipFiles(named, { wanted: () => true, maxFiles: 5, maxBytes: 1000 });
  expect(files.map(({ name }) => name)).toEqual(["Ü.csv"]);
});
