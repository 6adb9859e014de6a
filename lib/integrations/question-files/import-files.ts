import type { QtiImport, QtiImportResult } from "../../../schema/api/assessment/qti.ts";
import { importQuestions } from "../../assessment/pool-exchange.ts";
import { ensurePoolWritable } from "../../assessment/pools.ts";
import { errorMessageTemplates } from "../../error-codes.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { fileReader } from "../../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../../platform/readers/uploaded-file.ts";
import { decodeCodeAndValues } from "../../platform/results/stored-reason.ts";
import { decodeOmission, omissionMessages } from "../cartridges/omission-codes.ts";
import type { QuestionFilesInput } from "./read-files.ts";
import type { ParsedQuestion } from "./read-questions.ts";

const itemsReader = new URL("./items-reader.ts", import.meta.url);

const messages = { ...errorMessageTemplates, ...omissionMessages };

/**
 * Adds questions to a pool; reports each question's result. 404, or 403 if the caller may only read the pool;
 * 400 for an invalid package or file; errors of `find` for an upload.
 */
export async function importQuestionFiles(
  db: Db,
  actor: Actor,
  poolId: number,
  { dry_run, file_id, files, package: base64 }: QtiImport,
  find: FindUploadedFile,
): Promise<QtiImportResult> {
  await ensurePoolWritable(db, actor, poolId);
  const sent = file_id === undefined ? undefined : await find(file_id, { question_pool_id: poolId });
  const given: QuestionFilesInput = sent ? { sent: sent.name } : { files, package: base64 };
  const found = await fileReader.read<ParsedQuestion[]>(itemsReader, given, actor.id, sent);
  const questions = found.flatMap(({ question }) => question ?? []);
  const imported =
    questions.length > 0 ? await importQuestions(db, actor, poolId, { questions, dry_run }) : undefined;
  const outcomes = imported?.results.values() ?? [].values();
  const results = found.map(({ name, line, read_as = null, question, fault, leftOut }) => {
    const { code, words } = decodeCodeAndValues(fault ?? null, messages);
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
