import type { QuestionImportResult } from "../../schema/api/assessment/questions.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db } from "../platform/db/client.ts";
import { fileReaderThreadPool } from "../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../platform/readers/uploaded-file.ts";
import { importQuestions } from "./pool-exchange.ts";
import { ensurePoolWritable } from "./pools.ts";
import type { ParsedQuestionsFile } from "./read-questions.ts";

const questionsReader = new URL("./questions-reader.ts", import.meta.url);

/** Errors as `importQuestions` and of `find`. */
export async function importQuestionsFromFile(
  db: Db,
  actor: Actor,
  poolId: number,
  { file_id, dry_run }: { file_id: number; dry_run: boolean },
  find: FindUploadedFile,
): Promise<QuestionImportResult> {
  await ensurePoolWritable(db, actor, poolId);
  const sent = await find(file_id, { question_pool_id: poolId });
  const { questions, read_as } = await fileReaderThreadPool.read<ParsedQuestionsFile>(
    questionsReader,
    null,
    actor.id,
    sent,
  );
  return { ...(await importQuestions(db, actor, poolId, { questions, dry_run })), read_as };
}
