import { ButtonWithFocusFallback } from "../components/button.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { t } from "../texts.ts";
import { explainUploadRefusal } from "./explain-refusal.ts";
import { formatFileSize } from "./size.ts";
import type { FileUpload, UploadQueue } from "./upload-queue.ts";
import { UploadedPictureThumbnail } from "./uploaded-file.tsx";

export function UploadProgressList({ list, uploads }: { list: UploadQueue; uploads: readonly FileUpload[] }) {
  if (uploads.length === 0) return null;
  return (
    <ul class="lines uploads" aria-label={t("upload.list")}>
      {uploads.map((one) => (
        <UploadLine key={one.key} upload={one} list={list} />
      ))}
    </ul>
  );
}

function UploadLine({ upload, list }: { upload: FileUpload; list: UploadQueue }) {
  const { key, id, name, size, sent, state, refusal, mediaType } = upload;
  const isUnderWay = state === "WAITING" || state === "SENDING";
  return (
    <li>
      <span class="named">
        {state === "READY" && id !== undefined && mediaType.startsWith("image/") && (
          <UploadedPictureThumbnail id={id} />
        )}
        <span>
          <bdi>{name}</bdi> <small>{formatFileSize(size)}</small>
        </span>
      </span>
      {isUnderWay && (
        <ProgressBar percent={(100 * sent) / Math.max(1, size)} label={t("upload.progress", { name })} />
      )}
      <span
        class={refusal || state === "CUT" ? "state fault" : "state quiet"}
        role={refusal ? "alert" : "status"}
      >
        <span class="unseen">{name}: </span>
        {refusal?.why === "STORED" ? (
          <TranslatedRejectionReason code={refusal.code} said={refusal.said} />
        ) : refusal ? (
          explainUploadRefusal(refusal)
        ) : (
          t(`upload.${state}`)
        )}
      </span>
      <span class="row">
        {list.mayRetry(upload) && (
          <ButtonWithFocusFallback
            aria-label={t("upload.retry.of", { name })}
            onClick={() => list.retry(key)}
          >
            {t("try.again")}
          </ButtonWithFocusFallback>
        )}
        <ButtonWithFocusFallback
          class="quiet"
          aria-label={t(isUnderWay ? "upload.cancel.of" : "upload.remove.of", { name })}
          onClick={() => list.remove(key)}
        >
          {t(isUnderWay ? "cancel" : "upload.remove")}
        </ButtonWithFocusFallback>
      </span>
    </li>
  );
}
