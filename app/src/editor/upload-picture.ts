import { uploadFile } from "learning-platform-client";
import { FormSubmissionBlockedError } from "../error-classes.ts";
import { explainUploadRefusal } from "../files/explain-refusal.ts";
import { findUploadRefusal, uploadRulesForPurpose } from "../files/upload-rules.ts";
import { uploadByteLimitsJson } from "../files/use-uploads.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** Uploads a picture of a course's content. Returns the file's id; rejects with a message for the author. */
export async function uploadContentPicture(file: File, course_id: number): Promise<number> {
  const rules = uploadRulesForPurpose("ASSET", uploadByteLimitsJson, "image/*");
  if (!rules) throw new FormSubmissionBlockedError(t("editor.no.uploads"));
  const refusal = findUploadRefusal(file, rules, 1);
  if (refusal && refusal.why !== "STORED")
    throw new FormSubmissionBlockedError(explainUploadRefusal(refusal));
  const stored = await uploadFile(apiClient, file, { purpose: "ASSET", course_id, name: file.name });
  if (stored.state === "REFUSED") throw new FormSubmissionBlockedError(stored.refusal ?? t("file.refused"));
  return stored.id;
}
