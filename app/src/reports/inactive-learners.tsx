import type { Schemas } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { ProgressBar } from "../components/progress.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import type { SelectedReportScope } from "./read-reports.ts";

/** Learners without activity for a week, with links to their progress. */
export function InactiveLearnersReport({
  stuck,
  scope,
}: {
  stuck: Schemas["RosterEntry"][];
  scope: SelectedReportScope;
}) {
  if (scope.kind !== "offering") return null;
  return (
    <section class="card" aria-labelledby="stuck">
      <h2 id="stuck">{t("stuck")}</h2>
      {stuck.length === 0 && <EmptyMessage>{t("stuck.nobody")}</EmptyMessage>}
      <ul class="lines">
        {stuck.map((one) => (
          <li key={one.user_id}>
            <a href={screenHref("teaching", scope.course, scope.offering, "learners", one.user_id)}>
              {one.full_name}
            </a>
            <ProgressBar percent={one.progress_percent} label={t("progress.of", { title: one.full_name })} />
            <span class="quiet">
              {one.last_activity_at
                ? t("last.seen", { day: formatDay(one.last_activity_at) })
                : t("never.seen")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
