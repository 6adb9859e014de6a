import { readFile } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";

/** A file in an archive; `size` is its packed size in bytes. */
export type ZippedFile = { name: string; size: number; read(): Buffer };

const centralHeader = 0x02014b50;
const endOfDirectory = 0x06054b50;
const deflated = 8;

/** The files of a zip archive without a comment, as the framework writes it. */
export async function readZip(path: string): Promise<ZippedFile[]> {
  const archive = await readFile(path);
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== endOfDirectory) throw new Error(`${path} is not a zip archive`);
  const files: ZippedFile[] = [];
  for (let at = archive.readUInt32LE(end + 16); archive.readUInt32LE(at) === centralHeader; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      archive.readUInt16LE(at + field),
    );
    const nameEnd = at + 46 + Number(nameLength);
    files.push(fileAt(archive, at, archive.toString("utf8", at + 46, nameEnd)));
    at = nameEnd + Number(extraLength) + Number(commentLength);
  }
  return files;
}

function fileAt(archive: Buffer, header: number, name: string): ZippedFile {
  const method = archive.readUInt16LE(header + 10);
  const size = archive.readUInt32LE(header + 20);
  const local = archive.readUInt32LE(header + 42);
  const read = () => {
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + size);
    return method === deflated ? inflateRawSync(content) : content;
  };
  return { name, size, read };
}
