import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { saveAs } from "../components/save-as.ts";
import { t } from "../texts.ts";
import { FinalizeGradesWithPreview } from "./finalizing.tsx";
import { fetchGradebookCsv, type Gradebook } from "./read-gradebook.ts";
import { ReopenFinalGradesForm } from "./reopen-final-grades.tsx";

type FinishingProps = {
  offering: number;
  book: Gradebook;
  isAuthor: boolean;
  onFinished: () => void;
};

/** Finalizes grades, reopens them with a reason, and exports CSV. */
export function FinalGradesPanel({ offering, book, isAuthor, onFinished }: FinishingProps) {
  const [note, setNote] = useState("");
  const finals = book.rows.filter(({ final }) => final !== null);
  const outdated = finals.filter(({ final }) => final?.is_outdated).map(({ user_id }) => user_id);
  const finished = (told: string) => {
    setNote(told);
    onFinished();
  };
  const reopened = (n: number) => finished(t("finishing.reopened", { n }));
  const save = async () => saveAs("gradebook.csv", await fetchGradebookCsv(offering), "text/csv");
  return (
    <section class="card" aria-labelledby="finishing">
      <h2 id="finishing">{t("finishing")}</h2>
      {isAuthor && <p class="quiet">{t("finishing.about")}</p>}
      <p role="status">{note}</p>
      {isAuthor && (
        <FinalizeGradesWithPreview
          offering={offering}
          book={book}
          onFinalized={({ finalized, passed, awaiting }) =>
            finished(t("finishing.done", { finalized, passed, awaiting }))
          }
        />
      )}
      <div class="row">
        <ActionButton run={save}>{t("finishing.csv")}</ActionButton>
      </div>
      {isAuthor && outdated.length > 0 && (
        <details open>
          <summary>{t("finishing.outdated", { n: outdated.length })}</summary>
          <p class="quiet">{t("finishing.outdated.about")}</p>
          <ReopenFinalGradesForm
            offering={offering}
            people={outdated}
            submit={t("finishing.reopen.outdated")}
            onReopened={reopened}
          />
        </details>
      )}
      {isAuthor && finals.length > 0 && (
        <details>
          <summary>{t("finishing.reopen")}</summary>
          <ReopenFinalGradesForm offering={offering} submit={t("finishing.reopen")} onReopened={reopened} />
        </details>
      )}
    </section>
  );
}
