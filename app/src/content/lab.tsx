import { FactList, type LabelledFact } from "../components/facts.tsx";
import { UploadedFileView } from "../files/uploaded-file.tsx";
import { t } from "../texts.ts";
import type { LabData } from "./content-data.ts";
import { RubricView } from "./rubric.tsx";

export function LabDescriptionView({ data }: { data: LabData }) {
  const facts: LabelledFact[] = [
    [t("lab.kind"), data.lab_type],
    [t("lab.runtime"), data.runtime],
    [t("lab.processors"), data.cpu_limit],
    [t("lab.memory"), data.memory_limit],
    [t("lab.time"), data.timeout_seconds === undefined ? undefined : `${data.timeout_seconds} s`],
  ];
  return (
    <>
      <FactList of={facts} />
      <h2>{t("lab.files")}</h2>
      <ul class="lines">
        {(data.files ?? []).map(({ path, file_id }) => (
          <li key={path}>{file_id ? <UploadedFileView id={file_id} name={path} /> : <code>{path}</code>}</li>
        ))}
      </ul>
      <RubricView rubric={data.rubric} />
    </>
  );
}
