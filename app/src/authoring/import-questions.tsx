import { useState } from "preact/hooks";
import { readFilesField } from "../components/chosen-files.ts";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { DryRunField, ImportFilesField } from "../components/import-fields.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { useImportFileUploader } from "../files/import-upload.tsx";
import { qtiPackageSample, questionFileSamples } from "../samples/questions.ts";
import { t } from "../texts.ts";
import {
  importQuestionFilesIntoPool,
  type QuestionImportOutcome,
  type QuestionImportRow,
} from "./question-files.ts";

type ImportQuestionsProps = {
  course: number;
  pool: number;
  onImported: () => void;
};

/** Imports questions from files: dry run first, then a result per question. */
export const ImportQuestionsForm = (props: ImportQuestionsProps) => (
  <LazyDisclosureCard label={t("questions.import")}>{() => <ImportForm {...props} />}</LazyDisclosureCard>
);

/** The service finds the type of a file by its content. */
const accepted = ".xml,.zip,.json,.txt,.gift,.dat,.qti";

function ImportForm({ course, pool, onImported }: ImportQuestionsProps) {
  const upload = useImportFileUploader({ course_id: course });
  const [imported, setImported] = useState<QuestionImportOutcome>();
  const send = async (fields: FormData) => {
    setImported(undefined);
    const files: { file: File; held: number | undefined }[] = [];
    for (const file of readFilesField(fields, "files")) files.push({ file, held: await upload.sent(file) });
    const found = await importQuestionFilesIntoPool(pool, files, isCheckboxFieldChecked(fields, "dry_run"));
    setImported(found);
    if (!found.dryRun) onImported();
  };
  return (
    <>
      <p class="quiet">{t("questions.import.about")}</p>
      <SampleFileDownloads samples={[...questionFileSamples, qtiPackageSample]} />
      <Form send={send} submit={t("imports.start")}>
        <div class="fields">
          <ImportFilesField accept={accepted} />
        </div>
        <DryRunField />
        {upload.bar}
      </Form>
      <div role="status">{imported && <Outcome imported={imported} />}</div>
    </>
  );
}

/** The number of imported questions, and the rows that need attention. */
function Outcome({ imported: { dryRun, rows } }: { imported: QuestionImportOutcome }) {
  const count = (wanted: string) => rows.filter(({ outcome }) => outcome === wanted).length;
  const counts = { created: count("created"), skipped: count("skipped"), failed: count("failed") };
  const told = rows.filter(
    (row) => row.outcome === "failed" || row.left_out.length > 0 || isOtherEncoding(row),
  );
  return (
    <>
      <p>
        <strong>{t(dryRun ? "imports.trial" : "imports.run")}</strong> {t("questions.import.counts", counts)}
      </p>
      <ul class="lines">
        {told.map((row, at) => (
          <li key={at}>
            <span>{placeOf(row)}</span>
            <Note row={row} />
          </li>
        ))}
      </ul>
    </>
  );
}

const isOtherEncoding = ({ read_as }: QuestionImportRow): boolean => read_as !== null && read_as !== "utf-8";

function placeOf(row: QuestionImportRow): string {
  const { name, line, read_as } = row;
  const place = line === null ? name : t("questions.import.place", { name, line });
  return isOtherEncoding(row) ? t("imports.read.as.file", { file: place, encoding: read_as ?? "" }) : place;
}

function Note({ row: { outcome, fault, code, left_out, left_out_codes } }: { row: QuestionImportRow }) {
  if (outcome === "failed")
    return (
      <span class="fault">
        <TranslatedRejectionReason code={code} said={fault ?? ""} />
      </span>
    );
  return (
    <ul class="quiet">
      {left_out.map((line, at) => (
        <li key={at}>
          <TranslatedRejectionReason code={left_out_codes[at] ?? null} said={line} />
        </li>
      ))}
    </ul>
  );
}
