import { useState } from "preact/hooks";
import { Choice } from "../components/choice.tsx";
import { archiveIn, filesIn } from "../components/chosen-files.ts";
import { Disclosure } from "../components/disclosure.tsx";
import { Form, isChecked } from "../components/form.tsx";
import { FilesField, TrialField } from "../components/import-fields.tsx";
import { RejectionReason } from "../components/refused.tsx";
import { useImportUpload } from "../files/import-upload.tsx";
import { t } from "../texts.ts";
import { type Format, type Imported, importFiles } from "./question-files.ts";

type ImportQuestionsProps = {
  course: number;
  pool: number;
  onImported: () => void;
};

/** Imports questions from files: dry run first, then a result per question. */
export const ImportQuestions = (props: ImportQuestionsProps) => (
  <Disclosure label={t("questions.import")}>{() => <ImportForm {...props} />}</Disclosure>
);

function ImportForm({ course, pool, onImported }: ImportQuestionsProps) {
  const upload = useImportUpload({ course_id: course });
  const [format, choose] = useState<Format>("json");
  const [imported, setImported] = useState<Imported>();
  const send = async (fields: FormData) => {
    setImported(undefined);
    const files = filesIn(fields, "files");
    const large = archiveIn(files) ?? (files.length === 1 ? files[0] : undefined);
    const held = (await upload.sent(large)) ?? files;
    const found = await importFiles(pool, format, held, isChecked(fields, "dry_run"));
    setImported(found);
    if (!found.dryRun) onImported();
  };
  return (
    <>
      <p class="quiet">{t("questions.import.about")}</p>
      <Form send={send} submit={t("imports.start")}>
        <div class="fields">
          <Choice
            label={t("imports.format")}
            value={format}
            options={[
              ["json", "JSON"],
              ["qti", "QTI 2, QTI 3"],
            ]}
            onChoose={choose}
          />
          <FilesField accept={format === "json" ? ".json" : ".xml,.zip"} />
        </div>
        <TrialField />
        {upload.bar}
      </Form>
      <div role="status">{imported && <Outcome imported={imported} />}</div>
    </>
  );
}

/** The number of imported questions, and the rows that need attention. */
function Outcome({ imported: { dryRun, rows } }: { imported: Imported }) {
  // A question with two faults has two rows, so count distinct names.
  const count = (wanted: string) =>
    new Set(rows.filter(({ outcome }) => outcome === wanted).map(({ name }) => name)).size;
  const counts = { created: count("created"), skipped: count("skipped"), failed: count("failed") };
  const told = rows.filter(({ outcome, note, readAs }) => outcome === "failed" || note !== "" || readAs);
  return (
    <>
      <p>
        <strong>{t(dryRun ? "imports.trial" : "imports.run")}</strong> {t("questions.import.counts", counts)}
      </p>
      <ul class="lines">
        {told.map(({ name, outcome, note, code, readAs }, at) => (
          <li key={at}>
            <span>{readAs ? t("imports.read.as.file", { file: name, encoding: readAs }) : name}</span>
            <span class={outcome === "failed" ? "fault" : "quiet"}>
              {code === null ? note : <RejectionReason code={code} said={note} />}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
