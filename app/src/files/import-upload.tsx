import { dataOf, PlatformError, type Schemas, uploadFile } from "learning-platform-client";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Progress } from "../components/progress.tsx";
import { NotYet } from "../refusals.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { explainRefusal } from "./explain-refusal.ts";

/** What is larger is sent to the file store first; the rest goes with the request itself. */
const mostInRequest = 700_000;

/** How often a file that is checked is looked at. */
const lookEveryMs = 1000;

export type ImportUpload = {
  /** The id of a file that is too large for a request, once it is there and checked; undefined of any other. */
  sent(file: File | undefined): Promise<number | undefined>;
  /** How far it has come, with a button that ends it. */
  bar: VNode | null;
};

/** For a form that imports a file of up to 200 MB. */
export function useImportUpload(
  scope: Pick<Schemas["FileCreate"], "university_id" | "course_id">,
  /** Whether a small file is sent to the store as well, for what takes none with its request. */
  { always = false } = {},
): ImportUpload {
  const [progress, setProgress] = useState<{ name: string; percent: number }>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const sent = async (file: File | undefined) => {
    if (!file || (!always && file.size <= mostInRequest)) return undefined;
    const control = new AbortController();
    running.current = control;
    try {
      const stored = await uploadFile(api, file, {
        ...{ purpose: "IMPORT", ...scope, signal: control.signal },
        onProgress: ({ sent: bytes, total }) =>
          setProgress({ name: file.name, percent: (100 * bytes) / total }),
      });
      return await checked(stored, control.signal);
    } catch (error) {
      if (control.signal.aborted) throw new NotYet(t("upload.cancelled"));
      throw error instanceof PlatformError ? refused(error) : error;
    } finally {
      setProgress(undefined);
    }
  };
  const bar = progress ? (
    <div class="row">
      <Progress percent={progress.percent} label={t("upload.progress", { name: progress.name })} />
      <Button class="quiet" onClick={() => running.current?.abort()}>
        {t("cancel")}
      </Button>
    </div>
  ) : null;
  return { sent, bar };
}

/** Waits until a file may be read by those who import it. */
async function checked(
  { id, state, refusal, code }: Schemas["StoredFile"],
  signal: AbortSignal,
): Promise<number> {
  if (state === "READY") return id;
  if (state !== "CHECKING") {
    const { rowInReadersWords } = await import("../refusal-words.ts");
    throw new NotYet(await rowInReadersWords(code, refusal ?? ""));
  }
  await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  signal.throwIfAborted();
  return checked(await dataOf(api.getFile({ params: { path: { file_id: id } }, signal })), signal);
}

const refused = (error: unknown): NotYet => new NotYet(explainRefusal({ why: "SERVICE", error }));
