import { dataOf, type Schemas } from "learning-platform-client";
import { readFileAsBase64 } from "../components/chosen-files.ts";
import { apiClient } from "../service.ts";

/** The outcome of one question. A rejected one has a code, others the lines about omitted content. */
export type QuestionImportRow = Pick<
  Schemas["QtiImportResult"]["results"][number],
  "name" | "line" | "read_as" | "outcome" | "fault" | "code" | "left_out" | "left_out_codes"
>;

export type QuestionImportOutcome = { dryRun: boolean; rows: QuestionImportRow[] };

/** Imports files into a pool, each by itself. `held` is the id of an upload, or undefined for a small file. */
export async function importQuestionFilesIntoPool(
  pool: number,
  files: readonly { file: File; held: number | undefined }[],
  dryRun: boolean,
): Promise<QuestionImportOutcome> {
  const rows: QuestionImportRow[] = [];
  for (const { file, held } of files) {
    const sent = held === undefined ? { package: await readFileAsBase64(file) } : { file_id: held };
    const params = { path: { question_pool_id: pool } };
    const { results } = await dataOf(
      apiClient.importQuestionsFromQti({ params, body: { ...sent, dry_run: dryRun } }),
    );
    rows.push(...results.map((row) => ({ ...row, name: row.name || file.name })));
  }
  return { dryRun, rows };
}
