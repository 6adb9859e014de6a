import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { checkScormPackage } from "../../../../lib/integrations/cartridges/scorm-package.ts";
import type { RandomAccess } from "../../../../lib/platform/readers/archive-directory.ts";
import { archiveOf, packedText, type StatedEntry } from "../../../support/archives.ts";
import { manifest12 } from "../../../support/scorm.ts";

const manifest = manifest12([{ href: "film.mp4" }]);

/** Copies what lies in `bytes`, which begin at `start`, of a part that begins at `at`. */
function copyPart(part: Buffer, at: number, bytes: Buffer, start: number): void {
  const from = Math.max(start, at);
  const to = Math.min(start + bytes.length, at + part.length);
  if (from < to) part.copy(bytes, from - start, from - at, to - at);
}

/** An archive whose bytes between the first files and the directory exist only as zeros. Counts what is read. */
function archiveWithFilm(filmBytes: number, statedBytes = filmBytes) {
  const first: StatedEntry = {
    ...{ name: "imsmanifest.xml", packed: packedText(manifest), size: Buffer.byteLength(manifest) },
  };
  const film: StatedEntry = { name: "film.mp4", packed: Buffer.alloc(0), size: statedBytes };
  const small = archiveOf([first, film]);
  const directory = small.indexOf("PK\x01\x02");
  const head = small.subarray(0, directory);
  const tail = Buffer.from(small.subarray(directory));
  tail.writeUInt32LE(crc32(manifest), 16);
  const entryOfFilm = tail.lastIndexOf("PK\x01\x02");
  tail.writeUInt32LE(filmBytes, entryOfFilm + 20);
  tail.writeUInt32LE(head.length + filmBytes, tail.length - 6);
  let read = 0;
  const source: RandomAccess = {
    size: head.length + filmBytes + tail.length,
    async *read(start, end) {
      const bytes = Buffer.alloc(end - start);
      copyPart(head, 0, bytes, start);
      copyPart(tail, head.length + filmBytes, bytes, start);
      read += bytes.length;
      yield bytes;
    },
  };
  return { source, read: () => read };
}

it("a package of 2 GB is checked by its directory and manifest alone", async () => {
  const { source, read } = archiveWithFilm(2_000_000_000);
  const { manifest: found, entries } = await checkScormPackage(source, 1);
  expect([found.version, entries.map(([name, , , size]) => [name, size])]).toEqual([
    "1.2",
    [
      ["imsmanifest.xml", Buffer.byteLength(manifest)],
      ["film.mp4", 2_000_000_000],
    ],
  ]);
  expect(read()).toBeLessThan(200_000);
});

it("a package that states more bytes than a package may have is rejected before it is unpacked", async () => {
  const { source, read } = archiveWithFilm(1_000_000, 4_100_000_000);
  await expect(checkScormPackage(source, 1)).rejects.toMatchObject({ code: "scorm_too_large" });
  expect(read()).toBeLessThan(200_000);
});
