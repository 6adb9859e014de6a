import { dataOf } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { SubmissionGroupField } from "./group-field.tsx";
import { nonEmptyLines } from "./non-empty-lines.ts";

type HandInProps = {
  itemId: number;
  offeringId: number;
  isLab: boolean;
  isForGroups: boolean;
  isAgain: boolean;
  onHandedIn: () => void;
};

/** Submits the next attempt: text, files and links. */
export function SubmitWorkForm({ itemId, offeringId, isLab, isForGroups, isAgain, onHandedIn }: HandInProps) {
  const files = useFormUploads({
    purpose: "SUBMISSION",
    scope: { course_offering_id: offeringId, content_item_id: itemId },
  });
  async function send(fields: FormData) {
    const artifacts = readTextField(fields, "artifacts_url");
    const group = readTextField(fields, "group_id");
    const body = {
      ...(readTextField(fields, "body") && { body: readTextField(fields, "body") }),
      ...(artifacts && { artifacts_url: artifacts }),
      links: nonEmptyLines(readTextField(fields, "links")),
      file_ids: (await files?.ids()) ?? [],
      ...(group && { group_id: Number(group) }),
    };
    const params = { path: { offering_id: offeringId, assignment_id: itemId } };
    await dataOf(apiClient.createSubmission({ params, body }));
    onHandedIn();
  }
  const form = (
    <Form send={send} submit={t("work.hand.in")} draft={`work for ${itemId} in ${offeringId}`} clears>
      {isForGroups && <SubmissionGroupField offering={offeringId} />}
      <Field name="body" label={t("work.text")} about={t("markdown.note")}>
        <textarea rows={6} maxLength={100_000} />
      </Field>
      {files && <FileUploadPicker label={t("work.files")} of={files} takesPasted />}
      <Field name="links" label={t("work.links")}>
        <textarea rows={2} placeholder="https://" />
      </Field>
      {isLab && (
        <Field name="artifacts_url" label={t("work.artifacts")}>
          <input type="url" maxLength={1024} placeholder="https://" />
        </Field>
      )}
    </Form>
  );
  if (!isAgain) return <div class="card">{form}</div>;
  return (
    <details class="card">
      <summary>{t("work.again")}</summary>
      {form}
    </details>
  );
}
