import { useLayoutEffect, useRef } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { UploadedFileView } from "../files/uploaded-file.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { t } from "../texts.ts";

export type UploadedFileIdAndName = { id: number; name: string };

type FileFieldProps = {
  label: string;
  course: number;
  file: unknown;
  accept?: string;
  /** Receives the file once it is uploaded, or undefined if it is removed. */
  onChange: (file: UploadedFileIdAndName | undefined) => void;
};

/** One file of a course's content. Learners see it once the item is saved. */
export function CourseFileUploadField({ label, course, file, accept, onChange }: FileFieldProps) {
  const part = useRef<HTMLDivElement>(null);
  const files = useFormUploads({ purpose: "ASSET", scope: { course_id: course }, accept });
  const upload = files?.uploads[0];
  const last = useRef<number | undefined>(undefined);
  // A layout effect: a form that waits for its files is sent with the next render.
  useLayoutEffect(() => {
    const { id, name = "", state } = upload ?? {};
    if (id !== undefined && id !== last.current && (state === "READY" || state === "CHECKING")) {
      last.current = id;
      onChange({ id, name });
    } else if (last.current !== undefined && (!upload || state === "REFUSED")) {
      if (file === last.current) onChange(undefined);
      last.current = undefined;
    }
  }, [upload?.id, upload?.state]);
  const remove = () => {
    onChange(undefined);
    // An upload fires no input event.
    part.current?.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return (
    <div class="file-field" ref={part}>
      {typeof file === "number" && !upload && (
        <div class="row apart">
          <UploadedFileView id={file} />
          <ButtonWithFocusFallback class="quiet" onClick={remove}>
            {t("upload.remove")}
          </ButtonWithFocusFallback>
        </div>
      )}
      {files && <FileUploadPicker label={label} of={files} />}
    </div>
  );
}
