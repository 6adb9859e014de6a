import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import type { Gradebook } from "./read-gradebook.ts";
import { fetchGradebookInPages } from "./read-gradebook.ts";

type Book = Gradebook;
type Result = Schemas["GradeFinalizationResult"];
type Awaiting = Result["people"][number];

type FinalizingProps = { offering: number; book: Book; onFinalized: (result: Result) => void };

/** The preview, including pending grades and every name. */
type Preview = { result: Result; includesAwaiting: boolean; rows: Book["rows"] };

/** Finalizes grades after a preview. People with pending grades can be left out or included. */
export function FinalizeGradesWithPreview({ offering, book, onFinalized }: FinalizingProps) {
  const [preview, setPreview] = useState<Preview>();
  const params = { path: { offering_id: offering } };
  const finalize = (include_awaiting: boolean, dry_run: boolean) =>
    dataOf(apiClient.finalizeGrades({ params, body: { include_awaiting, dry_run } }));
  const look = async (includesAwaiting: boolean) => {
    const result = await finalize(includesAwaiting, true);
    const known = preview?.rows ?? book.rows;
    setPreview({
      result,
      includesAwaiting,
      rows: areNamed(result.people, known) ? known : (await fetchGradebookInPages(offering)).rows,
    });
  };
  const make = async (includesAwaiting: boolean) => {
    const result = await finalize(includesAwaiting, false);
    setPreview(undefined);
    onFinalized(result);
  };
  if (!preview)
    return (
      <ActionButton class="primary" run={() => look(false)}>
        {t("finishing.finalize")}
      </ActionButton>
    );
  const { result, includesAwaiting, rows } = preview;
  return (
    <section aria-label={t("finishing.finalize")}>
      <p role="status">
        {t("finishing.preview", { n: result.finalized, passed: result.passed })}{" "}
        {t("finishing.awaiting", { n: result.awaiting })}
      </p>
      {result.people.length > 0 && (
        <>
          <Waiting people={result.people} rows={rows} columns={book.columns} />
          <ActionButton class="quiet" pressed={includesAwaiting} run={() => look(!includesAwaiting)}>
            {t("finishing.include")}
          </ActionButton>
        </>
      )}
      <div class="row">
        {result.finalized > 0 && (
          <ActionButton class="primary" run={() => make(includesAwaiting)}>
            {t("finishing.make", { n: result.finalized })}
          </ActionButton>
        )}
        <ButtonWithFocusFallback onClick={() => setPreview(undefined)}>{t("cancel")}</ButtonWithFocusFallback>
      </div>
    </section>
  );
}

const areNamed = (people: readonly Awaiting[], rows: Book["rows"]): boolean =>
  people.every(({ user_id }) => rows.some((row) => row.user_id === user_id));

type WaitingProps = { people: readonly Awaiting[]; rows: Book["rows"]; columns: Book["columns"] };

/** People with pending grades, and the items. */
function Waiting({ people, rows, columns }: WaitingProps) {
  const titleOf = (item: number) => columns.find((one) => one.content_item_id === item)?.title;
  const nameOf = (id: number) => {
    const row = rows.find(({ user_id }) => user_id === id);
    return row ? personNameInGrades(row) : t("finishing.person", { id });
  };
  return (
    <details open={people.length <= 10}>
      <summary>{t("finishing.who")}</summary>
      <ul class="lines">
        {people.map(({ user_id, items }) => (
          <li key={user_id}>
            <span>{nameOf(user_id)}</span>
            <span class="quiet">{items.map(titleOf).filter(Boolean).join(", ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
