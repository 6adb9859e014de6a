import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useWorkBeforeFormSubmit } from "../components/before-form-submit.ts";
import { t } from "../texts.ts";
import { describeAcceptedFileTypes } from "./explain-refusal.ts";
import { formatFileSize } from "./size.ts";
import { UploadProgressList } from "./upload-progress-list.tsx";
import { type UploadRules, withUniquePastedPictureNames } from "./upload-rules.ts";
import type { FormUploads } from "./use-uploads.ts";

type FilePickerProps = {
  label: string;
  of: FormUploads;
  /** Whether files pasted anywhere in the form are added here. */
  takesPasted?: boolean;
};

export function FileUploadPicker({
  label,
  of: { list, uploads, rules, ids },
  takesPasted = false,
}: FilePickerProps) {
  const zone = useRef<HTMLFieldSetElement>(null);
  const [isOver, setOver] = useState(false);
  const about = useId();
  const add = (files: readonly File[]) => {
    list.add(files);
    // Adding files fires no input event, so fire one here.
    if (files.length > 0) zone.current?.dispatchEvent(new Event("input", { bubbles: true }));
  };
  useWorkBeforeFormSubmit(zone, ids);
  useFilesPasted(zone, takesPasted, add);
  useNoFileOpened();
  useOnReset(zone, list.clear);
  const drop = (event: DragEvent) => {
    setOver(false);
    event.preventDefault();
    add([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <fieldset
      class={isOver ? "picker over" : "picker"}
      ref={zone}
      aria-describedby={about}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <legend>{label}</legend>
      <div class="row">
        <Chooser rules={rules} onChoose={add} />
        <span class="quiet">{t(rules.most === 1 ? "upload.drop.one" : "upload.drop")}</span>
      </div>
      <small id={about}>{limitsOf(rules)}</small>
      <UploadProgressList list={list} uploads={uploads} />
    </fieldset>
  );
}

/** Inputs that open the file dialog and, on a phone, the camera. */
function Chooser({ rules, onChoose }: { rules: UploadRules; onChoose: (files: readonly File[]) => void }) {
  const choose = ({ currentTarget: field }: { currentTarget: HTMLInputElement }) => {
    onChoose([...(field.files ?? [])]);
    // Allows the same file to be chosen again.
    field.value = "";
  };
  const { accept, most } = rules;
  const takesPictures = !accept || accept.startsWith("image/");
  return (
    <>
      <label class="button">
        {t(most === 1 ? "upload.choose.one" : "upload.choose")}
        <input class="unseen" type="file" accept={accept} multiple={most > 1} onChange={choose} />
      </label>
      {takesPictures && (
        <label class="button by-touch">
          {t("upload.photograph")}
          <input class="unseen" type="file" accept="image/*" capture="environment" onChange={choose} />
        </label>
      )}
    </>
  );
}

function limitsOf({ largest, most, accept }: UploadRules): string {
  const size = formatFileSize(largest);
  const count = most === 1 ? t("upload.limits.one", { size }) : t("upload.limits", { size, n: most });
  return accept ? `${describeAcceptedFileTypes(accept)}. ${count}` : count;
}

type Zone = { current: HTMLFieldSetElement | null };

/** Handles pasted files. If the clipboard has text too, as from a spreadsheet, the text wins. */
function useFilesPasted(zone: Zone, inForm: boolean, add: (files: File[]) => void): void {
  useEffect(() => {
    const target = (inForm && zone.current?.closest("form")) || zone.current;
    const paste = (event: Event) => {
      const { clipboardData } = event as ClipboardEvent;
      const files = [...(clipboardData?.files ?? [])];
      if (files.length === 0 || clipboardData?.types.includes("text/plain")) return;
      event.preventDefault();
      event.stopPropagation();
      add(withUniquePastedPictureNames(files, new Date()));
    };
    target?.addEventListener("paste", paste);
    return () => target?.removeEventListener("paste", paste);
  }, []);
}

/** Prevents the browser from opening a file that is dropped outside of the input, which would lose the form. */
function useNoFileOpened(): void {
  useEffect(() => {
    const keep = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    addEventListener("dragover", keep);
    addEventListener("drop", keep);
    return () => {
      removeEventListener("dragover", keep);
      removeEventListener("drop", keep);
    };
  }, []);
}

/** Clears the files when the form is reset. */
function useOnReset(zone: Zone, clear: () => void): void {
  useEffect(() => {
    const form = zone.current?.closest("form");
    form?.addEventListener("reset", clear);
    return () => form?.removeEventListener("reset", clear);
  }, []);
}
