import type { QtiImport } from "../../../schema/api/assessment/qti.ts";
import type { FileText } from "../../../schema/api/platform/file-text.ts";
import { maxQtiPackageBytes, unzipQtiPackage } from "../../assessment/qti/package.ts";
import { badRequest } from "../../errors.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { lineOfByte, lineOfLostCharacter, UndecodableTextError } from "../../platform/readers/decode-text.ts";
import { decodeFileText } from "../../platform/readers/given-text.ts";
import { receiveBytes } from "../../platform/readers/reader-thread.ts";
import { indexZip, isZip } from "../../platform/readers/zip.ts";
import { encodeStoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { findLostCharacters } from "../../platform/validation/unstorable.ts";
import { mapQuestionTexts, replacePicturesWithPlaceholders } from "../cartridges/question-pictures.ts";
import { type ParsedQuestionsWithPictures, readPictures } from "./read-pictures.ts";
import {
  type ParsedQuestionOrFault,
  parseQuestionFileByContent,
  type QuestionFileContext,
} from "./read-questions.ts";

/** Of an uploaded file. */
const maxUploadedQuestionFileMegabytes = 100;

/**
 * The worker thread's input: files, a package or file in base64, or the name of an uploaded file; and the most
 * bytes of a picture.
 */
export type QuestionFilesInput = Pick<QtiImport, "files" | "package"> & {
  sent?: string;
  largestPicture: number;
};

/** As many as a pool takes from one import. */
const maxQuestionsPerImport = 1000;

/** The type of each file is found by its content. 400 for an invalid package or an unknown type. */
export async function parseQuestionFiles({
  files,
  package: base64,
  ...given
}: QuestionFilesInput): Promise<ParsedQuestionsWithPictures> {
  const { sent, largestPicture } = given;
  const read = files
    ? {
        found: files.flatMap(({ name, xml }, number) =>
          readFile(name, xml, { isPackaged: files.length > 1, number }),
        ),
      }
    : readBytes(sent ?? "", sent === undefined ? Buffer.from(base64 ?? "", "base64") : await sentBytes(sent));
  const surplus = read.found.filter(({ question }) => question)[maxQuestionsPerImport];
  if (surplus) {
    const { name, line } = surplus;
    throw badRequest("too_many_questions", {
      file: shown(name),
      line: line ?? 1,
      count: maxQuestionsPerImport,
    });
  }
  return readPictures(read.found, read.archive ?? new Map(), largestPicture);
}

type FilesRead = { found: ParsedQuestionOrFault[]; archive?: ReturnType<typeof indexZip> };

function readBytes(name: string, bytes: Buffer): FilesRead {
  if (isZip(bytes)) {
    const texts = unzipQtiPackage(bytes);
    const archive = indexZip(bytes);
    const at = { isPackaged: true, names: new Set(archive.keys()) };
    const found = texts.flatMap((file, number) => readFile(file.name, file.bytes, { ...at, number }));
    return { found, archive };
  }
  if (bytes.length > maxQtiPackageBytes) throw textTooLarge(name, lineOfByte([bytes], maxQtiPackageBytes));
  return { found: readFile(name, bytes, { isPackaged: false }) };
}

function readFile(
  name: string,
  content: FileText | Uint8Array,
  at: QuestionFileContext,
): ParsedQuestionOrFault[] {
  try {
    const { text, read_as } = decodeFileText(content);
    const place = { path: name, names: at.names ?? new Set<string>() };
    return parseQuestionFileByContent({ name, xml: text }, at).map((found) => {
      if (!found.question) return { ...found, read_as };
      if (findLostCharacters("body", found.question).length === 0) {
        const question = mapQuestionTexts(found.question, (one) =>
          replacePicturesWithPlaceholders(one, place),
        );
        return { ...found, question, read_as };
      }
      const { question: _, ...rest } = found;
      const line = found.line ?? lineOfLostCharacter(text);
      return { ...rest, read_as, fault: encodeStoredReason("text_character_lost", { line }) };
    });
  } catch (error) {
    if (!(error instanceof UndecodableTextError)) throw error;
    return [{ name, line: null, leftOut: [], read_as: null, fault: error.reason }];
  }
}

/** A file within the request has no name. */
const shown = (name: string): string => truncate(name || "package", 200);

const textTooLarge = (name: string, line: number) =>
  badRequest("qti_file_too_large", { file: shown(name), line, kib: maxQtiPackageBytes / 1024 });

const sentBytes = (name: string): Promise<Buffer> =>
  receiveBytes(maxUploadedQuestionFileMegabytes).catch((error) => {
    if (!(error instanceof BeyondBounds)) throw error;
    if (error.line !== undefined) throw textTooLarge(name, error.line);
    throw badRequest("package_unreadable", { file: shown(name), fault: error.message });
  });
