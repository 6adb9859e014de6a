import type { QtiImport } from "../../../schema/api/assessment/qti.ts";
import type { FileText } from "../../../schema/api/platform/file-text.ts";
import type { ErrorCode } from "../../error-codes.ts";
import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { lineOfLostCharacter, UndecodableText } from "../../platform/readers/decode-text.ts";
import { decodeGiven } from "../../platform/readers/given-text.ts";
import { receiveBytes } from "../../platform/readers/reading.ts";
import { isZip, type UnzippedFile } from "../../platform/readers/zip.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { lostCharacters } from "../../platform/validation/unstorable.ts";
import { largestFile, unpacked } from "./package.ts";
import { type ReadItem, readItem } from "./read-item.ts";
import { QtiError } from "./xml.ts";

/** `item` is absent if the file has none, or if `fault` says why it was not understood. */
export type ReadFile = {
  name: string;
  /** The encoding; null if the file could not be decoded. */
  read_as: string | null;
  item?: ReadItem | undefined;
  fault?: { code: ErrorCode; words: string };
};

/** Fault texts may quote the file's content, so they are cut. */
const longestFault = 500;

/** Of an uploaded file. */
const mostMegabytes = 100;

/** The worker thread's input: files, a package, or the name of an uploaded file. */
export type FilesGiven = Pick<QtiImport, "files" | "package"> & { sent?: string };

/** 400 for an invalid package. */
export async function readFiles({ files, package: zip, sent }: FilesGiven): Promise<ReadFile[]> {
  if (files) return files.map(({ name, xml }) => understand(name, xml));
  const unzipped = sent === undefined ? unpacked(Buffer.from(zip ?? "", "base64")) : await readSent(sent);
  return unzipped.map(({ name, bytes }) => understand(name, bytes));
}

async function readSent(name: string): Promise<UnzippedFile[]> {
  const bytes = await receiveBytes(mostMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? badRequest("package_unreadable", { fault: error.message }) : error;
  });
  if (isZip(bytes) || !startsAsMarkup(bytes)) return unpacked(bytes);
  if (bytes.length > largestFile) throw badRequest("qti_file_too_large", { kib: largestFile / 1024 });
  return [{ name, bytes }];
}

/** After a byte order mark and blanks, in any encoding. */
const startsAsMarkup = (bytes: Buffer): boolean =>
  /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(bytes.toString("latin1", 0, 1024));

function understand(name: string, content: FileText | Uint8Array): ReadFile {
  let read_as: string | null = null;
  try {
    const decoded = decodeGiven(content);
    read_as = decoded.read_as;
    const item = readItem(decoded.text);
    if (item && lostCharacters("body", item.question).length > 0)
      throw new QtiError("text_character_lost", {
        line: lineOfLostCharacter(decoded.text),
      });
    return { name, read_as, item };
  } catch (error) {
    if (!(error instanceof QtiError || error instanceof UndecodableText)) throw error;
    return { name, read_as, fault: { code: error.code, words: truncate(error.message, longestFault) } };
  }
}
