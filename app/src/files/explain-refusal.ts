import { PlatformError } from "learning-platform-client";
import { fromNow } from "../format.ts";
import { explain } from "../query.tsx";
import { secondsToWait } from "../refusals.ts";
import { t } from "../texts.ts";
import { refusalTextOf } from "./refusal-words.ts";
import { sizeOf } from "./size.ts";
import type { Refusal } from "./upload-rules.ts";

/** Why a file is not taken, in the reader's language. */
export function explainRefusal(refusal: Refusal): string {
  switch (refusal.why) {
    case "EMPTY":
      return t("upload.refused.EMPTY");
    case "LARGE":
      return t("upload.refused.LARGE", { size: sizeOf(refusal.largest) });
    case "MANY":
      return t("upload.refused.MANY", { n: refusal.most });
    case "KIND":
      return t("upload.refused.KIND", { kinds: kindsOf(refusal.accept) });
    case "SERVICE":
      return explainService(refusal.error);
  }
}

function explainService(error: unknown): string {
  const said = typeof error === "string" ? error : error instanceof PlatformError ? error.message : "";
  const text = refusalTextOf(said);
  if (!text) return said && typeof error === "string" ? said : explain(error);
  const seconds = secondsToWait(error);
  return [t(...text), seconds > 0 && t("error.again.in", { when: fromNow(seconds) })]
    .filter(Boolean)
    .join(" ");
}

/** What is taken, of a file field's `accept`. */
export const kindsOf = (accept: string): string =>
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
