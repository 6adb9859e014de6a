import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Field, NumberField } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { formatDayAndTime, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { personNameInGrades } from "./person-name-in-grades.ts";
import type { GradebookPersonRow } from "./read-gradebook.ts";
import { ReopenFinalGradesForm } from "./reopen-final-grades.tsx";
import { ToolReviewLauncher } from "./tool-review.tsx";

/** A gradebook cell: of an item, or of the course if there is no column. */
export type ChosenGradebookCell = {
  row: GradebookPersonRow;
  at: number | undefined;
  column: Schemas["Gradebook"]["columns"][number] | undefined;
};

type DecisionProps = {
  offering: number;
  chosen: ChosenGradebookCell;
  onDecided: () => void;
  onClose: () => void;
};

/** Sets or excuses one grade, with a reason that is recorded. */
export function SetOrExcuseGradeForm({ offering, chosen, onDecided, onClose }: DecisionProps) {
  const { row, at, column } = chosen;
  const cell = at === undefined ? undefined : row.cells[at];
  const [isExcused, setExcused] = useState(cell?.state === "EXCUSED");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const read = { version: (column ? cell?.version : row.version) ?? 0 };
  async function send(fields: FormData, present = read) {
    const header = ifMatch(present.version);
    const reason = readTextField(fields, "reason");
    const score = readNumberFieldOrNull(fields, "score");
    const path = { offering_id: offering, user_id: row.user_id };
    if (!column)
      await dataOf(apiClient.setCourseGrade({ params: { path, header }, body: { score, reason } }));
    else {
      const params = { path: { ...path, content_item_id: column.content_item_id }, header };
      const body = isExcused ? { is_excused: true, reason } : { score, is_excused: false, reason };
      await dataOf(apiClient.setItemGrade({ params, body }));
    }
    onDecided();
  }
  const hasWork = cell?.state === "GRADED" || cell?.state === "OVERRIDDEN";
  const isFinal = !column && row.final !== null;
  const score = column ? cell?.score : row.score_override;
  const most = column ? column.max_points + column.extra_points : 100;
  return (
    <section class="card" aria-labelledby="decision">
      <h2 id="decision" ref={heading} tabIndex={-1}>
        {personNameInGrades(row)} · {column?.title ?? t("gradebook.course")}
      </h2>
      {column?.has_review && hasWork && (
        <ToolReviewLauncher
          offering={offering}
          item={column.content_item_id}
          user={row.user_id}
          title={column.title}
        />
      )}
      {isFinal ? (
        <ReopenFinalGradesForm
          offering={offering}
          people={[row.user_id]}
          submit={t("decision.reopen")}
          onReopened={onDecided}
          onCancel={onClose}
        />
      ) : (
        <Form send={send} onPresent={onDecided} submit={t("decision.set")} onCancel={onClose}>
          {column && (
            <label class="check">
              <input
                type="checkbox"
                checked={isExcused}
                onChange={(event) => setExcused(event.currentTarget.checked)}
              />
              {t("decision.excuse")}
            </label>
          )}
          {!isExcused && (
            <NumberField
              name="score"
              class="narrow"
              label={
                column ? t("judgement.points", { max: formatToOneDecimal(most) }) : t("decision.percent")
              }
              about={t("decision.empty")}
              min={0}
              max={most}
              step={0.01}
              value={score}
            />
          )}
          <Field name="reason" label={t("decision.reason")}>
            <input maxLength={500} required />
          </Field>
        </Form>
      )}
      <Changes offering={offering} user={row.user_id} item={column?.content_item_id} />
    </section>
  );
}

type ChangesProps = { offering: number; user: number; item: number | undefined };

function Changes({ offering, user, item }: ChangesProps) {
  const params = {
    path: { offering_id: offering },
    query: { user_id: user, limit: 20, ...(item !== undefined && { content_item_id: item }) },
  };
  const changes = useQuery((signal) => dataOf(apiClient.listGradeChanges({ params, signal })), [user, item]);
  return (
    <QueryBoundary of={changes}>
      {(found) =>
        found.length > 0 && (
          <details>
            <summary>{t("decision.changes", { n: found.length })}</summary>
            <ul class="lines">
              {found.map((one) => (
                <li key={one.id}>
                  <span>{t(`change.${one.kind}`)}</span>
                  <span class="quiet">{one.reason}</span>
                  <small>{formatDayAndTime(one.changed_at)}</small>
                </li>
              ))}
            </ul>
          </details>
        )
      }
    </QueryBoundary>
  );
}
