import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../parts/action.tsx";
import { Form, typed } from "../parts/form.tsx";
import { saveAs } from "../parts/save-as.ts";
import { api } from "../service.ts";
import { t } from "../texts.ts";

type FinishingProps = {
  offering: number;
  book: Schemas["Gradebook"];
  isAuthor: boolean;
  onFinished: () => void;
};

/** Makes the grades final, which is asked once more; opens them again with a reason; and takes them along as CSV. */
export function Finishing({ offering, book, isAuthor, onFinished }: FinishingProps) {
  const [note, setNote] = useState("");
  const params = { path: { offering_id: offering } };
  const finals = book.rows.filter(({ final }) => final !== null).length;
  const finalize = async () => {
    if (!confirm(t("finishing.sure", { n: book.total }))) return;
    const { finalized, passed, awaiting } = await dataOf(api.finalizeGrades({ params, body: {} }));
    setNote(t("finishing.done", { finalized, passed, awaiting }));
    onFinished();
  };
  const reopen = async (fields: FormData) => {
    const { reopened } = await dataOf(
      api.reopenGrades({ params, body: { reason: typed(fields, "reason") } }),
    );
    setNote(t("finishing.reopened", { n: reopened }));
    onFinished();
  };
  const save = async () => {
    const query = { format: "csv" } as const;
    const csv = await dataOf<unknown>(api.readGradebook({ params: { ...params, query }, parseAs: "blob" }));
    saveAs("gradebook.csv", csv as Blob);
  };
  return (
    <section class="card" aria-labelledby="finishing">
      <h2 id="finishing">{t("finishing")}</h2>
      {isAuthor && <p class="quiet">{t("finishing.about")}</p>}
      <p role="status">{note}</p>
      <div class="row">
        {isAuthor && (
          <Action class="primary" run={finalize}>
            {t("finishing.finalize")}
          </Action>
        )}
        <Action run={save}>{t("finishing.csv")}</Action>
      </div>
      {isAuthor && finals > 0 && (
        <details>
          <summary>{t("finishing.reopen")}</summary>
          <Form send={reopen} submit={t("finishing.reopen")}>
            <label>
              {t("decision.reason")}
              <input name="reason" maxLength={500} required />
            </label>
          </Form>
        </details>
      )}
    </section>
  );
}
