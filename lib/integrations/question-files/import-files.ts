import type { QtiImport, QtiImportResult } from "../../../schema/api/assessment/qti.ts";
import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { pictureIdsIn } from "../../assessment/picture-ids.ts";
import { importQuestions } from "../../assessment/pool-exchange.ts";
import { ensurePoolWritable } from "../../assessment/pools.ts";
import { findUnusablePictures } from "../../assessment/question-pictures.ts";
import type { Deps } from "../../deps.ts";
import { errorMessageTemplates } from "../../error-codes.ts";
import { nonexistentFileBadRequest } from "../../errors.ts";
import { maxFileBytes } from "../../files/limits.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { fileReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../../platform/readers/uploaded-file.ts";
import { decodeOmission, omissionMessages } from "../../platform/results/omission-codes.ts";
import { decodeCodeAndMessage, httpErrorToStoredReason } from "../../platform/results/stored-reason.ts";
import {
  findPlaceholderPicturePaths,
  replaceAvailablePicturePlaceholders,
} from "../cartridges/question-pictures.ts";
import type { QuestionFilesInput } from "./read-files.ts";
import type { PackagedPicture, ParsedQuestionsWithPictures } from "./read-pictures.ts";
import type { ParsedQuestionOrFault } from "./read-questions.ts";
import {
  discardPictures,
  findPictureFileIdsInPool,
  insertPictureFiles,
  writePictures,
} from "./store-pictures.ts";

const itemsReader = new URL("./items-reader.ts", import.meta.url);

const messages = { ...errorMessageTemplates, ...omissionMessages };

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now">;

/**
 * Adds the questions of files to a pool, with their pictures; reports each question's result. Returns 404, or 403
 * if the caller may only read the pool; 400 for an invalid package or file; errors of `find` for an upload.
 */
export async function importQuestionFiles(
  parts: Parts,
  actor: Actor,
  poolId: number,
  { dry_run, file_id, files, package: base64 }: QtiImport,
  find: FindUploadedFile,
): Promise<QtiImportResult> {
  const { db, config } = parts;
  await ensurePoolWritable(db, actor, poolId);
  const sent = file_id === undefined ? undefined : await find(file_id, { question_pool_id: poolId });
  const given: QuestionFilesInput = {
    largestPicture: maxFileBytes(config, "ASSET"),
    ...(sent ? { sent: sent.name } : { files, package: base64 }),
  };
  const read = await fileReaderThreadPool.read<ParsedQuestionsWithPictures>(
    itemsReader,
    given,
    actor.id,
    sent,
  );
  const found = await withUsablePictures(parts, actor, poolId, read.found);
  const questions = found.flatMap(({ question }) => question ?? []);
  const imported =
    questions.length > 0
      ? await importWithPictures(parts, actor, poolId, { questions, pictures: read.pictures, dry_run })
      : undefined;
  const outcomes = imported?.results.values() ?? [].values();
  const results = found.map(({ name, line, read_as = null, question, fault, leftOut }) => {
    const { code, words } = decodeCodeAndMessage(fault ?? null, messages);
    const lines = leftOut.map(decodeOmission);
    const about = {
      ...{ name, line, read_as, fault: words, code },
      left_out: lines.map((one) => one.line),
      left_out_codes: lines.map((one) => one.code),
    };
    if (fault !== undefined) return { ...about, outcome: "failed" as const, question_id: null };
    if (!question) return { ...about, outcome: "ignored" as const, question_id: null };
    const { value } = outcomes.next();
    return {
      ...about,
      outcome: value?.outcome ?? ("skipped" as const),
      question_id: value?.question_id ?? null,
    };
  });
  const failed = results.filter(({ outcome }) => outcome === "failed").length;
  return { dry_run, created: imported?.created ?? 0, skipped: imported?.skipped ?? 0, failed, results };
}

/** A question that names a file which the caller may not use has a fault. */
async function withUsablePictures(
  { db }: Parts,
  actor: Actor,
  poolId: number,
  found: readonly ParsedQuestionOrFault[],
): Promise<ParsedQuestionOrFault[]> {
  const questions = found.flatMap(({ question }) => question ?? []);
  const unusable = new Set(await findUnusablePictures(db, actor, poolId, questions));
  return found.map((one) => {
    const id = pictureIdsIn(one.question ?? "").find((named) => unusable.has(named));
    if (id === undefined) return one;
    const { question: _, ...rest } = one;
    return { ...rest, fault: httpErrorToStoredReason(nonexistentFileBadRequest(id)) };
  });
}

type Given = { questions: QuestionCreate[]; pictures: readonly PackagedPicture[]; dry_run: boolean };

/** Pictures that the pool shows already keep their files, so a repeated import finds the same questions. */
async function importWithPictures(
  parts: Parts,
  actor: Actor,
  poolId: number,
  { questions, pictures, dry_run }: Given,
) {
  const { db } = parts;
  const shown = new Set(questions.flatMap(findPlaceholderPicturePaths));
  const wanted = pictures.filter(({ path }) => shown.has(path));
  const known = await findPictureFileIdsInPool(db, poolId, wanted);
  const withFiles = (files: ReadonlyMap<string, number>) =>
    questions.map((one) => replaceAvailablePicturePlaceholders(one, files));
  const added = wanted.filter(({ path }) => !known.has(path));
  if (dry_run || added.length === 0)
    return importQuestions(db, actor, poolId, { questions: withFiles(known), dry_run });
  const written = await writePictures(parts, poolId, added);
  try {
    return await db.transaction(async (tx) => {
      const files = await insertPictureFiles(tx, parts, actor, poolId, { written, pictures: wanted });
      return importQuestions(tx, actor, poolId, { questions: withFiles(files), dry_run });
    });
  } finally {
    // Otherwise the daily job deletes them.
    await discardPictures(parts, written).catch(() => {});
  }
}
