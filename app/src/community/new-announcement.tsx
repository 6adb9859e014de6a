import { dataOf } from "learning-platform-client";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { Form } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { readTitleAndTextFields, TitleAndTextFields } from "./title-and-text.tsx";

export function NewAnnouncementForm({
  offering,
  onAnnounced,
}: {
  offering: number;
  onAnnounced: () => void;
}) {
  async function send(fields: FormData) {
    const published_at = readDateTimeField(fields, "published_at");
    const body = {
      ...readTitleAndTextFields(fields),
      ...(published_at && { published_at }),
    };
    await dataOf(apiClient.createOfferingAnnouncement({ params: { path: { offering_id: offering } }, body }));
    onAnnounced();
  }
  return (
    <details class="card">
      <summary>{t("announce")}</summary>
      <Form
        send={send}
        submit={t("announce.send")}
        done={t("announce.done")}
        draft={`announcement in ${offering}`}
        clears
      >
        <TitleAndTextFields maxLength={10_000} />
        <DateTimeField name="published_at" label={t("announce.at")} />
      </Form>
    </details>
  );
}
