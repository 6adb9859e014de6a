import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import type { OutlineItemWithOnChange } from "../content/item-progress.ts";
import { formatDeadlineOmittingDayEnd, formatToOneDecimal } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { OwnSubmissionsList } from "./submissions.tsx";
import { SubmitWorkForm } from "./submit-work.tsx";

type WorkProps = {
  itemId: number;
  offeringId: number;
  isLab: boolean;
  /** Whether one submission counts for the whole group. */
  isForGroups: boolean;
  progress: OutlineItemWithOnChange | undefined;
};

/** A learner's work on a lab or assignment: submissions, feedback and the next attempt. */
export function AssignmentWorkPanel({ itemId, offeringId, isLab, isForGroups, progress }: WorkProps) {
  const query = { course_offering_id: offeringId, content_item_id: itemId, limit: 100 };
  const [isHandedIn, setHandedIn] = useState(false);
  const submissions = useQuery(
    (signal) => dataOf(apiClient.listMySubmissions({ params: { query }, signal })),
    [itemId, offeringId],
  );
  if (!progress) return <p>{t("work.enrolled.only")}</p>;
  const due = progress.line?.due_at;
  const isLate = due ? new Date(due) < new Date() : false;
  const handedIn = () => {
    setHandedIn(true);
    submissions.again();
    progress.onChange();
  };
  return (
    <section aria-labelledby="work">
      <h2 id="work">{t("work")}</h2>
      {due && (
        <p class="quiet">
          {t("due.on", { day: formatDeadlineOmittingDayEnd(due) })}
          {isLate && ` · ${t("work.over")}`}
        </p>
      )}
      {isLate && <LateRule itemId={itemId} offeringId={offeringId} />}
      <p role="status">{isHandedIn && t("work.handed.in")}</p>
      <QueryBoundary of={submissions}>
        {(found) => (
          <>
            <OwnSubmissionsList submissions={found} />
            <SubmitWorkForm
              itemId={itemId}
              offeringId={offeringId}
              isLab={isLab}
              isForGroups={isForGroups}
              isAgain={found.length > 0}
              onHandedIn={handedIn}
            />
          </>
        )}
      </QueryBoundary>
    </section>
  );
}

/** The late penalty in force now, and the cutoff. */
function LateRule({ itemId, offeringId }: Pick<WorkProps, "itemId" | "offeringId">) {
  const params = { path: { offering_id: offeringId } };
  const grades = useQuery((signal) => dataOf(apiClient.readMyGrades({ params, signal })), [offeringId]);
  return (
    <QueryBoundary of={grades}>
      {({ items }) => {
        const item = items.find((one) => one.content_item_id === itemId);
        const rule = [
          item?.late_percent_per_day &&
            t("grades.late.percent", { percent: formatToOneDecimal(item.late_percent_per_day) }),
          item?.max_late_days != null && t("grades.late.until", { days: item.max_late_days }),
        ].filter(Boolean);
        return rule.length > 0 && <p class="quiet">{rule.join(" · ")}</p>;
      }}
    </QueryBoundary>
  );
}
