import { dataOf } from "learning-platform-client";
import { Form, typed } from "../parts/form.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { TitleAndText, titleAndTextOf } from "./title-and-text.tsx";

/** A new announcement to an offering, at once or at a time. */
export function Announce({ offering, onAnnounced }: { offering: number; onAnnounced: () => void }) {
  async function send(fields: FormData) {
    const at = typed(fields, "published_at");
    const body = {
      ...titleAndTextOf(fields),
      ...(at && { published_at: new Date(at).toISOString() }),
    };
    await dataOf(api.createOfferingAnnouncement({ params: { path: { offering_id: offering } }, body }));
    onAnnounced();
  }
  return (
    <details class="card">
      <summary>{t("announce")}</summary>
      <Form send={send} submit={t("announce.send")} done={t("announce.done")} clears>
        <TitleAndText maxLength={10_000} />
        <label>
          {t("announce.at")}
          <input type="datetime-local" name="published_at" class="narrow" />
        </label>
      </Form>
    </details>
  );
}
