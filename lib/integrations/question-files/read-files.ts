import type { QtiImport } from "../../../schema/api/assessment/qti.ts";
import type { FileText } from "../../../schema/api/platform/file-text.ts";
import { largestPackage, unzipQtiPackage } from "../../assessment/qti/package.ts";
import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { lineOfLostCharacter, UndecodableText } from "../../platform/readers/decode-text.ts";
import { decodeFileText } from "../../platform/readers/given-text.ts";
import { receiveBytes } from "../../platform/readers/reader-thread.ts";
import { isZip } from "../../platform/readers/zip.ts";
import { encodeStoredReason } from "../../platform/results/stored-reason.ts";
import { findLostCharacters } from "../../platform/validation/unstorable.ts";
import { type ParsedQuestion, parseQuestionFileByContent } from "./read-questions.ts";

/** Of an uploaded file. */
const mostMegabytes = 100;

/** Input of the worker thread: files, one in base64, or an uploaded file's name. */
export type QuestionFilesInput = Pick<QtiImport, "files" | "package"> & { sent?: string };

/** As many as a pool takes from one import. */
const mostQuestions = 1000;

/** Finds each file's type by its content. 400 for an invalid package or an unknown type. */
export async function parseQuestionFiles({
  files,
  package: base64,
  sent,
}: QuestionFilesInput): Promise<ParsedQuestion[]> {
  const found = files
    ? files.flatMap(({ name, xml }) => readFile(name, xml, { isPackaged: files.length > 1 }))
    : readBytes(sent ?? "", sent === undefined ? Buffer.from(base64 ?? "", "base64") : await sentBytes());
  if (found.filter(({ question }) => question).length > mostQuestions)
    throw badRequest("too_many_questions", { count: mostQuestions });
  return found;
}

function readBytes(name: string, bytes: Buffer): ParsedQuestion[] {
  if (isZip(bytes))
    return unzipQtiPackage(bytes).flatMap((file) => readFile(file.name, file.bytes, { isPackaged: true }));
  if (bytes.length > largestPackage) throw badRequest("qti_file_too_large", { kib: largestPackage / 1024 });
  return readFile(name, bytes, { isPackaged: false });
}

function readFile(
  name: string,
  content: FileText | Uint8Array,
  at: { isPackaged: boolean },
): ParsedQuestion[] {
  try {
    const { text, read_as } = decodeFileText(content);
    return parseQuestionFileByContent({ name, xml: text }, at).map((found) => {
      if (!found.question || findLostCharacters("body", found.question).length === 0)
        return { ...found, read_as };
      const { question: _, ...rest } = found;
      const line = found.line ?? lineOfLostCharacter(text);
      return { ...rest, read_as, fault: encodeStoredReason("text_character_lost", { line }) };
    });
  } catch (error) {
    if (!(error instanceof UndecodableText)) throw error;
    return [{ name, line: null, leftOut: [], read_as: null, fault: error.reason }];
  }
}

const sentBytes = (): Promise<Buffer> =>
  receiveBytes(mostMegabytes).catch((error) => {
    throw error instanceof BeyondBounds ? badRequest("package_unreadable", { fault: error.message }) : error;
  });
