import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { buildUncompressedZip } from "../../../app/src/samples/uncompressed-zip.ts";
import { unzipFiles } from "../../../lib/platform/readers/zip.ts";

it("an archive of small files is read by the service and other programs", () => {
  const files = { "a/ä.txt": "Größe", "empty.txt": "", "b.bin": Uint8Array.from([0, 255, 7]) };
  const archive = buildUncompressedZip(files);
  const expected = Object.entries(files).map(([name, content]) => [
    name,
    Buffer.from(content).toString("hex"),
  ]);
  const read = unzipFiles(Buffer.from(archive), { wanted: () => true, maxFiles: 9, maxBytes: 999 });
  expect(read.map(({ name, bytes }) => [name, Buffer.from(bytes).toString("hex")])).toEqual(expected);
  const other = Object.entries(unzipSync(archive));
  expect(other.map(([name, bytes]) => [name, Buffer.from(bytes).toString("hex")])).toEqual(expected);
});
