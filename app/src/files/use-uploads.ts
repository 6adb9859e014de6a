import { dataOf, type Schemas, uploadFile } from "learning-platform-client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { FilesNotSentError, type FileUpload, UploadQueue } from "./upload-queue.ts";
import { type UploadPurpose, type UploadRules, uploadRulesForPurpose } from "./upload-rules.ts";

type Scope = Partial<
  Pick<
    Schemas["FileCreate"],
    "university_id" | "course_id" | "course_offering_id" | "content_item_id" | "submission_id"
  >
>;

export type FormUploads = {
  list: UploadQueue;
  uploads: readonly FileUpload[];
  rules: UploadRules;
  /** The ids once all uploads are complete. Throws a message for the user if some failed. */
  ids(): Promise<number[]>;
  /** The ids if the files changed. Undefined if they are to stay. */
  changedIds(): Promise<number[] | undefined>;
};

type UploadsOptions = {
  purpose: UploadPurpose;
  scope?: Scope;
  accept?: string | undefined;
  there?: readonly Schemas["FileSummary"][];
};

export const uploadByteLimitsJson = document.documentElement.dataset["uploads"] ?? "";

/** The uploads of a form, started on selection. Undefined if this platform has no file store. */
export function useFormUploads({
  purpose,
  scope = {},
  accept,
  there = [],
}: UploadsOptions): FormUploads | undefined {
  const [uploads, setUploads] = useState<readonly FileUpload[]>();
  const made = useMemo(() => {
    const rules = uploadRulesForPurpose(purpose, uploadByteLimitsJson, accept);
    const deeds = {
      send: (file: Blob, options: object) => uploadFile(apiClient, file, { purpose, ...scope, ...options }),
      read: (file_id: number) => dataOf(apiClient.getFile({ params: { path: { file_id } } })),
      remove: (file_id: number) => dataOf(apiClient.deleteFile({ params: { path: { file_id } } })),
      pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    };
    return rules && { rules, list: new UploadQueue(deeds, rules, setUploads, there) };
  }, []);
  useEffect(() => {
    if (!made) return;
    addEventListener("online", made.list.goOn);
    return () => {
      removeEventListener("online", made.list.goOn);
      made.list.close();
    };
  }, []);
  if (!made) return undefined;
  const ids = () => made.list.ids().catch(explainMissing);
  const changedIds = async () => {
    const found = await ids();
    return made.list.isChanged() ? found : undefined;
  };
  return { ...made, uploads: uploads ?? made.list.uploads, ids, changedIds };
}

function explainMissing(error: unknown): never {
  throw error instanceof FilesNotSentError
    ? new FormSubmissionBlockedError(t("upload.missing", { n: error.count }))
    : error;
}
