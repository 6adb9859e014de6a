import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { formatFractionAsPercent } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";
import { CourseFileUploadField } from "./file-field.tsx";

type PackageProps = { course: number; data: ContentData; onChange: (data: ContentData) => void };

/** The package of an item. An uploaded file is checked before the item can use it. */
export function ScormPackageField({ course, data, onChange }: PackageProps) {
  const [uploaded, setUploaded] = useState<number>();
  const [found, setFound] = useState<Schemas["ScormPackage"]>();
  const { file_id: file, ...others } = data;
  const check = async () => {
    if (uploaded === undefined) return;
    const checked = await dataOf(apiClient.registerScormPackage({ body: { file_id: uploaded } }));
    setFound(checked);
    onChange({ ...data, file_id: uploaded });
  };
  const choose = (id: number | undefined) => {
    setUploaded(id);
    setFound(undefined);
    if (id === undefined) onChange(others);
  };
  return (
    <>
      <CourseFileUploadField
        label={t("scorm.package")}
        course={course}
        file={file}
        accept=".zip"
        onChange={(chosen) => choose(chosen?.id)}
      />
      {uploaded !== undefined && !found && <ActionButton run={check}>{t("scorm.check")}</ActionButton>}
      {found && (
        <div role="status">
          <p>
            {found.title} · SCORM {found.version}
          </p>
          {found.is_sequenced && <p>{t("scorm.sequenced")}</p>}
          <ol>
            {found.scos.map(({ id, title, passing_score }) => (
              <li key={id}>
                {title}
                {passing_score !== null &&
                  ` · ${t("scorm.mastery", { percent: formatFractionAsPercent(passing_score) })}`}
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}
