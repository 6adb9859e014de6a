import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";
import { CourseFileUploadField } from "./file-field.tsx";

type RowFileProps = {
  row: ContentData;
  change: (row: ContentData) => void;
  /** The field that receives the file's name if it is empty. */
  names: string;
  course: number;
};

/** Uploads a file for a row, which replaces its URL. */
export function RowAttachmentField({ row, change, names, course }: RowFileProps) {
  const { file_id: file, ...others } = row;
  return (
    <CourseFileUploadField
      label={t("file.of.row")}
      course={course}
      file={file}
      onChange={(chosen) => {
        if (!chosen) return change(others);
        const { url: _, ...rest } = others;
        change({ ...rest, [names]: rest[names] || chosen.name, file_id: chosen.id });
      }}
    />
  );
}
