import type { Schemas } from "learning-platform-client";
import { Empty } from "../components/empty.tsx";
import { Progress } from "../components/progress.tsx";
import { day } from "../format.ts";
import { to } from "../routes.ts";
import { t } from "../texts.ts";
import type { Scope } from "./data.ts";

/** Learners without activity for a week, with links to their progress. */
export function StuckLearners({ stuck, scope }: { stuck: Schemas["RosterEntry"][]; scope: Scope }) {
  if (scope.kind !== "offering") return null;
  return (
    <section class="card" aria-labelledby="stuck">
      <h2 id="stuck">{t("stuck")}</h2>
      {stuck.length === 0 && <Empty>{t("stuck.nobody")}</Empty>}
      <ul class="lines">
        {stuck.map((one) => (
          <li key={one.user_id}>
            <a href={to("teaching", scope.course, scope.offering, "learners", one.user_id)}>
              {one.full_name}
            </a>
            <Progress percent={one.progress_percent} label={t("progress.of", { title: one.full_name })} />
            <span class="quiet">
              {one.last_activity_at ? t("last.seen", { day: day(one.last_activity_at) }) : t("never.seen")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
