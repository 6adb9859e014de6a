import { explainError } from "../query.tsx";
import { t } from "../texts.ts";
import { formatFileSize } from "./size.ts";
import type { UploadRefusal } from "./upload-rules.ts";

/** Why an upload is rejected, in the reader's language. `Refused` covers stored files. */
export function explainUploadRefusal(refusal: Exclude<UploadRefusal, { why: "STORED" }>): string {
  switch (refusal.why) {
    case "EMPTY":
      return t("upload.refused.EMPTY");
    case "LARGE":
      return t("upload.refused.LARGE", { size: formatFileSize(refusal.largest) });
    case "MANY":
      return t("upload.refused.MANY", { n: refusal.most });
    case "KIND":
      return t("upload.refused.KIND", { kinds: describeAcceptedFileTypes(refusal.accept) });
    case "SERVICE":
      return explainError(refusal.error);
  }
}

/** The accepted kinds, in words, from an `accept` attribute. */
export const describeAcceptedFileTypes = (accept: string): string =>
  accept === "image/*"
    ? t("upload.kinds.picture")
    : accept === "video/*"
      ? t("upload.kinds.film")
      : accept
          .split(",")
          .map((type) =>
            type
              .replace(/^.*\/(x-)?/, "")
              .replace("webp", "WebP")
              .replace(/^(png|jpeg)$/, (name) => name.toUpperCase()),
          )
          .join(", ");
