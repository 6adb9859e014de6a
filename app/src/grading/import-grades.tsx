import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { fileToBase64Object, readFilesField } from "../components/chosen-files.ts";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { CheckboxField, Field } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readTextField } from "../components/form.tsx";
import { DryRunField } from "../components/import-fields.tsx";
import { formatUnroundedNumber } from "../components/localized-number.ts";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { useImportFileUploader } from "../files/import-upload.tsx";
import { buildGradesCsvSample } from "../samples/grades.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Result = Schemas["GradeImportResult"];
type ImportGradesProps = {
  course: number;
  offering: number;
  book: Pick<Schemas["Gradebook"], "columns" | "rows">;
  onImported: () => void;
};

/** Imports scores from CSV: dry run first, then a result per cell. */
export const ImportGradesForm = (props: ImportGradesProps) => (
  <LazyDisclosureCard label={t("grades.import")}>{() => <ImportForm {...props} />}</LazyDisclosureCard>
);

function ImportForm({ course, offering, book, onImported }: ImportGradesProps) {
  const { columns } = book;
  const sample = buildGradesCsvSample(book);
  const upload = useImportFileUploader({ course_id: course });
  const [result, setResult] = useState<Result>();
  const send = async (fields: FormData) => {
    setResult(undefined);
    const [file] = readFilesField(fields, "csv");
    const file_id = await upload.sent(file);
    const body = {
      ...(file_id === undefined ? { csv: file ? await fileToBase64Object(file) : "" } : { file_id }),
      reason: readTextField(fields, "reason"),
      dry_run: isCheckboxFieldChecked(fields, "dry_run"),
      overwrite: isCheckboxFieldChecked(fields, "overwrite"),
    };
    const found = await dataOf(apiClient.importGrades({ params: { path: { offering_id: offering } }, body }));
    setResult(found);
    if (!found.dry_run) onImported();
  };
  return (
    <>
      <p class="quiet">{t("grades.import.about")}</p>
      {sample && <SampleFileDownloads samples={[sample]} />}
      <Form send={send} submit={t("imports.start")}>
        <Field name="csv" label={t("grades.import.file")}>
          <input type="file" accept=".csv,.txt,.tsv" required />
        </Field>
        <Field name="reason" label={t("decision.reason")}>
          <input maxLength={500} required />
        </Field>
        <DryRunField />
        <CheckboxField name="overwrite" label={t("grades.import.overwrite")}>
          <input type="checkbox" />
        </CheckboxField>
        {upload.bar}
      </Form>
      <div role="status">{result && <Outcome result={result} columns={columns} />}</div>
    </>
  );
}

const separators = {
  ",": "grades.import.comma",
  ";": "grades.import.semicolon",
  "\t": "grades.import.tab",
} as const;

/** How the file was read, counts, and each changed or rejected cell. */
function Outcome({ result, columns }: { result: Result } & Pick<Schemas["Gradebook"], "columns">) {
  const { dry_run, read_as, changed, unchanged, refused, results } = result;
  const titleOf = (id: number | null) => columns.find(({ content_item_id }) => content_item_id === id)?.title;
  return (
    <>
      <p>
        <strong>{t(dry_run ? "imports.trial" : "imports.run")}</strong>{" "}
        {t("grades.import.counts", { changed, unchanged, refused })}
      </p>
      <p class="quiet">
        {t("grades.import.read.as", {
          separator: t(separators[read_as.separator as keyof typeof separators]),
          decimal: read_as.decimal,
          encoding: read_as.encoding,
        })}
      </p>
      <ul class="lines">
        {results.map(({ line, content_item_id, outcome, former_score, score, detail, code }, at) => (
          <li key={at}>
            <span>
              {t("grades.import.line", { n: line })} {titleOf(content_item_id)}
            </span>
            <span class={outcome === "REFUSED" ? "fault" : "quiet"}>
              {detail === null ? (
                `${formatUnroundedNumber(former_score)} → ${score === null ? "EX" : formatUnroundedNumber(score)}`
              ) : (
                <TranslatedRejectionReason code={code} said={detail} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
