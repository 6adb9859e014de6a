import type { QtiImport } from "../../../schema/api/assessment/qti.ts";
import { largestPackage, type QtiFile, unpacked } from "../../assessment/qti/package.ts";
import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { decodeText } from "../../platform/readers/decode-text.ts";
import { receiveBytes } from "../../platform/readers/reading.ts";
import { isZip } from "../../platform/readers/zip.ts";
import { type FoundQuestion, readQuestions } from "./read-questions.ts";

/** Of an uploaded file. */
const mostMegabytes = 100;

/** The worker thread's input: files, a package or file in base64, or the name of an uploaded file. */
export type FilesGiven = Pick<QtiImport, "files" | "package"> & { sent?: string };

/** As many as a pool takes from one import. */
const mostQuestions = 1000;

/** The type of each file is found by its content. 400 for an invalid package or an unknown type. */
export async function readFiles({ files, package: base64, sent }: FilesGiven): Promise<FoundQuestion[]> {
  const found = files
    ? files.flatMap((file) => readQuestions(file, { isPackaged: files.length > 1 }))
    : readBytes(sent ?? "", sent === undefined ? Buffer.from(base64 ?? "", "base64") : await sentBytes());
  if (found.filter(({ question }) => question).length > mostQuestions)
    throw badRequest("too_many_questions", { count: mostQuestions });
  return found;
}

function readBytes(name: string, bytes: Buffer): FoundQuestion[] {
  if (isZip(bytes)) return unpacked(bytes).flatMap((file) => readQuestions(file, { isPackaged: true }));
  if (bytes.length > largestPackage) throw badRequest("qti_file_too_large", { kib: largestPackage / 1024 });
  const file: QtiFile = { name, xml: decodeText(bytes) };
  return readQuestions(file, { isPackaged: false });
}

const sentBytes = (): Promise<Buffer> =>
  receiveBytes(mostMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? badRequest("package_unreadable", { fault: error.message }) : error;
  });
