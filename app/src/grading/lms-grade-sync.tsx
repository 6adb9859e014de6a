import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import type { Gradebook, GradebookPersonRow } from "./read-gradebook.ts";

/** The LMS sync state of a person's grade. Null for grades of modules and the course. */
export function LmsGradeSyncLabels({ row, item }: { row: GradebookPersonRow; item: number | null }) {
  const found = row.lms.filter(({ content_item_id }) => content_item_id === item);
  return (
    <>
      {found.map(({ module_id, state }) => (
        <small key={module_id ?? 0} class={state === "REFUSED" ? "fault" : "quiet"}>
          {module_id === null ? t(`lms.${state}`) : t("lms.module", { state: t(`lms.${state}`) })}
        </small>
      ))}
    </>
  );
}

type SendingProps = { offering: number; book: Gradebook; onSent: () => void };

/** Failed LMS syncs with reasons. Renders nothing if no LMS has a column. */
export function LmsGradeSyncPanel({ offering, book, onSent }: SendingProps) {
  const [isAsked, setAsked] = useState(false);
  const told = book.rows.flatMap((row) => row.lms.map((one) => ({ ...one, row })));
  if (told.length === 0) return null;
  const send = async () => {
    await dataOf(apiClient.sendGradesToLms({ params: { path: { offering_id: offering } }, body: {} }));
    setAsked(true);
    onSent();
  };
  const open = told.filter(({ state, reason }) => state === "REFUSED" || reason !== null);
  return (
    <section class="stack" aria-labelledby="lms-sending">
      <h2 id="lms-sending">{t("lms.grades")}</h2>
      <p class="quiet">{t("lms.grades.about")}</p>
      {open.length > 0 && (
        <ul>
          {open.map(({ row, content_item_id, module_id, state, reason }) => (
            <li key={`${row.user_id} ${content_item_id} ${module_id}`}>
              {t("lms.line", {
                name: personNameInGrades(row),
                title: titleOf(book, content_item_id),
                state: t(`lms.${state}`),
                reason: reason ?? "",
              })}
            </li>
          ))}
        </ul>
      )}
      <ActionButton run={send}>{t("lms.send")}</ActionButton>
      {isAsked && <p role="status">{t("lms.sending")}</p>}
    </section>
  );
}

const titleOf = ({ columns }: Schemas["Gradebook"], item: number | null): string =>
  columns.find(({ content_item_id }) => content_item_id === item)?.title ?? t("gradebook.course");
