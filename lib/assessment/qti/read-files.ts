import type { QtiImport } from "../../../schema/api/assessment/qti.ts";
import type { ErrorCode } from "../../error-codes.ts";
import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { decodeText } from "../../platform/readers/decode-text.ts";
import { receiveBytes } from "../../platform/readers/reading.ts";
import { isZip } from "../../platform/readers/zip.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { largestFile, type QtiFile, unpacked } from "./package.ts";
import { type ReadItem, readItem } from "./read-item.ts";
import { QtiError } from "./xml.ts";

/** `item` is absent if the file has none, or if `fault` says why it was not understood. */
export type ReadFile = {
  name: string;
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
  if (files) return files.map(understand);
  if (sent === undefined) return unpacked(Buffer.from(zip ?? "", "base64")).map(understand);
  return (await readSent(sent)).map(understand);
}

async function readSent(name: string): Promise<QtiFile[]> {
  const bytes = await receiveBytes(mostMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? badRequest("package_unreadable", { fault: error.message }) : error;
  });
  const xml = isZip(bytes) ? undefined : decodeText(bytes);
  if (!xml?.trimStart().startsWith("<")) return unpacked(bytes);
  if (bytes.length > largestFile) throw badRequest("qti_file_too_large", { kib: largestFile / 1024 });
  return [{ name, xml }];
}

function understand({ name, xml }: QtiFile): ReadFile {
  try {
    return { name, item: readItem(xml) };
  } catch (error) {
    if (!(error instanceof QtiError)) throw error;
    return { name, fault: { code: error.code, words: truncate(error.message, longestFault) } };
  }
}
