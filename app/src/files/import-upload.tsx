import { dataOf, PlatformError, type Schemas, uploadFile } from "learning-platform-client";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { explainUploadRefusal } from "./explain-refusal.ts";

/** Larger files are uploaded to the store. Smaller ones are sent in the request. */
const maxInlineUploadBytes = 700_000;

/** Polling interval of the file check, in milliseconds. */
const lookEveryMs = 1000;

export type ImportFileUploader = {
  /** The id of a file that is too large for a request, once it is uploaded and checked. Undefined for others. */
  sent(file: File | undefined): Promise<number | undefined>;
  bar: VNode | null;
};

/** Uploads a file of up to 200 MB for an import. */
export function useImportFileUploader(
  scope: Pick<Schemas["FileCreate"], "university_id" | "course_id">,
  /** Uploads small files too, for endpoints that take only file ids. */
  { always = false } = {},
): ImportFileUploader {
  const [progress, setProgress] = useState<{ name: string; percent: number }>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const sent = async (file: File | undefined) => {
    if (!file || (!always && file.size <= maxInlineUploadBytes)) return undefined;
    const control = new AbortController();
    running.current = control;
    try {
      const stored = await uploadFile(apiClient, file, {
        ...{ purpose: "IMPORT", ...scope, signal: control.signal },
        onProgress: ({ sent: bytes, total }) =>
          setProgress({ name: file.name, percent: (100 * bytes) / total }),
      });
      return await checked(stored, control.signal);
    } catch (error) {
      if (control.signal.aborted) throw new FormSubmissionBlockedError(t("upload.cancelled"));
      throw error instanceof PlatformError ? refused(error) : error;
    } finally {
      setProgress(undefined);
    }
  };
  const bar = progress ? (
    <div class="row">
      <ProgressBar percent={progress.percent} label={t("upload.progress", { name: progress.name })} />
      <ButtonWithFocusFallback class="quiet" onClick={() => running.current?.abort()}>
        {t("cancel")}
      </ButtonWithFocusFallback>
    </div>
  ) : null;
  return { sent, bar };
}

/** Waits until a file has passed its check. */
async function checked(
  { id, state, refusal, code }: Schemas["StoredFile"],
  signal: AbortSignal,
): Promise<number> {
  if (state === "READY") return id;
  if (state !== "CHECKING") {
    const { translateImportRowError } = await import("../translate-error-responses.ts");
    throw new FormSubmissionBlockedError(await translateImportRowError(code, refusal ?? ""));
  }
  await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  signal.throwIfAborted();
  return checked(await dataOf(apiClient.getFile({ params: { path: { file_id: id } }, signal })), signal);
}

const refused = (error: unknown): FormSubmissionBlockedError =>
  new FormSubmissionBlockedError(explainUploadRefusal({ why: "SERVICE", error }));
