import { dataOf, type Schemas } from "learning-platform-client";
import {
  fileToBase64Object,
  findZipArchive,
  readFileAsBase64,
  readFilesField,
} from "../components/chosen-files.ts";
import { CheckboxField, SelectField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readSelectField } from "../components/form.tsx";
import { DryRunField, ImportFilesField } from "../components/import-fields.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { useImportFileUploader } from "../files/import-upload.tsx";
import { peopleImportSamples } from "../samples/people.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ImportProps = { university: number; onStarted: (job: Schemas["ImportJob"]) => void };
type Files = NonNullable<Schemas["ImportCreate"]["files"]>;

/** Picks CSV files by name, or OneRoster files, also in a ZIP archive. */
export function StartPeopleImportForm({ university, onStarted }: ImportProps) {
  const upload = useImportFileUploader({ university_id: university });
  async function send(fields: FormData) {
    const files = readFilesField(fields, "files");
    const file_id = await upload.sent(findZipArchive(files) ?? (files.length === 1 ? files[0] : undefined));
    const body = {
      format: readSelectField<Schemas["ImportCreate"]["format"]>(fields, "format"),
      dry_run: isCheckboxFieldChecked(fields, "dry_run"),
      override: isCheckboxFieldChecked(fields, "override"),
      ...(file_id === undefined ? await contentOf(files) : { file_id }),
    };
    onStarted(await dataOf(apiClient.startImport({ params: { path: { university_id: university } }, body })));
  }
  return (
    <section class="card" aria-labelledby="import">
      <h2 id="import">{t("imports.new")}</h2>
      <p class="quiet">{t("imports.about")}</p>
      <Form send={send} submit={t("imports.start")} done={t("imports.started")}>
        <div class="fields">
          <SelectField
            name="format"
            label={t("imports.format")}
            of={[
              ["CSV", "CSV"],
              ["ONE_ROSTER", "OneRoster 1.2"],
            ]}
            chosen="CSV"
          />
          <ImportFilesField accept=".csv,.zip" />
        </div>
        <DryRunField />
        <CheckboxField name="override" label={t("imports.override")}>
          <input type="checkbox" />
        </CheckboxField>
        {upload.bar}
      </Form>
      <SampleFileDownloads samples={peopleImportSamples} />
    </section>
  );
}

/** A ZIP archive is sent whole, other files by name. */
async function contentOf(files: File[]): Promise<Pick<Schemas["ImportCreate"], "files" | "zip">> {
  const archive = findZipArchive(files);
  if (archive) return { zip: await readFileAsBase64(archive) };
  const sent = await Promise.all(files.map(async (file) => [file.name, await fileToBase64Object(file)]));
  return { files: Object.fromEntries(sent) as Files };
}
