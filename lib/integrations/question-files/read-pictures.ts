import { createHash } from "node:crypto";
import { badRequest } from "../../errors.ts";
import { detectMediaType, mediaTypeDetectionBytes } from "../../files/detect-media-type.ts";
import { isDisplayablePicture } from "../../platform/file-store/inline-display.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { type indexZip, UnreadableArchive } from "../../platform/readers/zip.ts";
import { encodeStoredReason, type StoredReason } from "../../platform/results/stored-reason.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { fileNameOfPath } from "../cartridges/paths.ts";
import { findPlaceholderPicturePaths } from "../cartridges/question-pictures.ts";
import type { ParsedQuestionOrFault } from "./read-questions.ts";

export type PackagedPicture = {
  path: string;
  name: string;
  media_type: string;
  sha256: string;
  bytes: Uint8Array;
};

export type ParsedQuestionsWithPictures = { found: ParsedQuestionOrFault[]; pictures: PackagedPicture[] };

/** Of all pictures of an import. */
const maxImportedPictureMegabytes = 32;

/**
 * The pictures that questions show, each once. A question whose picture is missing, too large or no picture has a
 * fault. Returns 400 if the pictures are too large together.
 */
export async function readPictures(
  found: readonly ParsedQuestionOrFault[],
  files: ReturnType<typeof indexZip>,
  largest: number,
): Promise<ParsedQuestionsWithPictures> {
  const pictures = new Map<string, PackagedPicture | StoredReason>();
  let room = maxImportedPictureMegabytes * 1_000_000;
  for (const { question, files: embedded } of found)
    for (const path of question ? findPlaceholderPicturePaths(question) : []) {
      if (pictures.has(path)) continue;
      const read = files.get(path) ?? base64Reader(embedded?.get(path));
      const picture = await readPicture(path, read, { largest, room });
      pictures.set(path, picture);
      if (typeof picture !== "string") room -= picture.bytes.length;
    }
  return {
    found: found.map(({ files: _embedded, ...one }) => {
      const paths = one.question ? findPlaceholderPicturePaths(one.question) : [];
      const fault = paths.map((path) => pictures.get(path)).find((picture) => typeof picture === "string");
      if (fault === undefined) return one;
      const { question: _, ...rest } = one;
      return { ...rest, fault };
    }),
    pictures: [...pictures.values()].filter((picture) => typeof picture !== "string"),
  };
}

type Read = (most: number) => Buffer | undefined;

function base64Reader(text: string | undefined): Read | undefined {
  if (text === undefined) return undefined;
  return (most) => {
    const bytes = Buffer.from(text, "base64");
    return bytes.length > most ? undefined : bytes;
  };
}

async function readPicture(
  path: string,
  read: Read | undefined,
  { largest, room }: { largest: number; room: number },
): Promise<PackagedPicture | StoredReason> {
  const shown = truncate(path, 200);
  const unknown = encodeStoredReason("question_picture_unknown", { path: shown });
  if (!read) return unknown;
  try {
    const bytes = read(Math.min(largest, room));
    if (bytes === undefined) {
      if (room < largest)
        throw badRequest("package_pictures_too_large", { megabytes: maxImportedPictureMegabytes });
      return encodeStoredReason("question_picture_too_large", {
        path: shown,
        megabytes: largest / 1_000_000,
      });
    }
    const media_type = await detectMediaType(
      bytes.subarray(0, mediaTypeDetectionBytes),
      "application/octet-stream",
    );
    if (!isDisplayablePicture(media_type)) return unknown;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    // A copy: the bytes may be a view of the archive, and posting a view would send all of it.
    return {
      path,
      name: truncate(fileNameOfPath(path), 255),
      media_type,
      sha256,
      bytes: Uint8Array.from(bytes),
    };
  } catch (error) {
    if (error instanceof UnreadableArchive || error instanceof BeyondBounds) return unknown;
    throw error;
  }
}
