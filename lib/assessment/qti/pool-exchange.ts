import type { QtiExport, QtiImport, QtiImportResult, QtiQuery } from "../../../schema/api/assessment/qti.ts";
import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { fileReader } from "../../platform/readers/reading-threads.ts";
import type { FindSentFile } from "../../platform/readers/sent-file.ts";
import { exportPool, importQuestions } from "../pool-exchange.ts";
import { ensureWritable } from "../pools.ts";
import { packed } from "./package.ts";
import type { FilesGiven, ReadFile } from "./read-files.ts";
import { writeItem } from "./write-item.ts";

const itemsReader = new URL("./items-reader.ts", import.meta.url);

/** A QTI content package; 404 if the caller cannot read the pool. */
export async function exportQti(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  { version, skip, limit }: QtiQuery,
): Promise<QtiExport> {
  const { title, questions, total } = await exportPool(db, actor, poolId, { skip, limit });
  const items = (questions as QuestionCreate[]).map((question, at) => {
    const identifier = `question-${skip + at + 1}`;
    const written = { ...question, identifier, title: `${title} ${skip + at + 1}` };
    return { name: `${identifier}.xml`, xml: writeItem(written, version) };
  });
  return { version, package: Buffer.from(packed(items, version)).toString("base64"), total };
}

/**
 * Like `importQuestions`; reports each file's result. Returns 404, or 403 if the caller may only read the
 * pool; 400 for an invalid package; errors of `find` for an upload.
 */
export async function importQti(
  db: Db,
  actor: Actor,
  poolId: number,
  { dry_run, file_id, files, package: zip }: QtiImport,
  find: FindSentFile,
): Promise<QtiImportResult> {
  await ensureWritable(db, actor, poolId);
  const sent = file_id === undefined ? undefined : await find(file_id, { question_pool_id: poolId });
  const given: FilesGiven = sent ? { sent: sent.name } : { files, package: zip };
  const read = await fileReader.read<ReadFile[]>(itemsReader, given, actor.id, sent);
  const questions = read.flatMap(({ item }) => item?.question ?? []);
  const imported =
    questions.length > 0 ? await importQuestions(db, actor, poolId, { questions, dry_run }) : undefined;
  const outcomes = imported?.results.values() ?? [].values();
  const results = read.map(({ name, read_as, item, fault }) => {
    const refused = { fault: fault?.words ?? null, code: fault?.code ?? null };
    const about = { name, read_as, ...refused, left_out: item?.leftOut ?? [] };
    if (fault !== undefined) return { ...about, outcome: "failed" as const, question_id: null };
    if (!item) return { ...about, outcome: "ignored" as const, question_id: null };
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
