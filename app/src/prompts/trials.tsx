import { dataOf } from "learning-platform-client";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDayAndTime } from "../format.ts";
import { formatCostWithEstimateMark, formatMoneyMicros } from "../format-money.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { NewTrialForm } from "./new-trial.tsx";
import {
  PromptVersionLayout,
  type PromptVersionRouteProps,
  promptVersionPathParams,
} from "./version-layout.tsx";

/** Trials of a version on recorded conversations, and a form for another. */
export const TrialsScreen = (version: PromptVersionRouteProps) => (
  <PromptVersionLayout {...version} part="trials">
    {() => (
      <>
        <p class="quiet">{t("trials.about")}</p>
        <Trials {...version} />
        <NewTrialForm {...version} />
      </>
    )}
  </PromptVersionLayout>
);

function Trials(version: PromptVersionRouteProps) {
  const path = promptVersionPathParams(version);
  const trials = usePagedQuery(
    (query, signal) => dataOf(apiClient.listPromptTrials({ params: { path, query }, signal })),
    [version.name, version.version],
  );
  return (
    <section class="card" aria-labelledby="trials">
      <h2 id="trials">{t("trials")}</h2>
      <PagedLineList of={trials} empty={t("trials.empty")}>
        {({ id, kind, against, state, cost, created_at }) => (
          <li>
            <a href={screenHref("prompts", version.name, "versions", version.version, "trials", id)}>
              {t("trial.line", {
                kind: t(`trial.kind.${kind}`),
                against,
                moment: formatDayAndTime(created_at),
              })}
            </a>
            <span class="badge">{t(`trial.state.${state}`)}</span>
            <small>
              {t("trial.cost.of", {
                spent: formatCostWithEstimateMark(cost.spent_micros, cost.calls_estimated),
                limit: formatMoneyMicros(cost.limit_micros),
              })}
            </small>
          </li>
        )}
      </PagedLineList>
    </section>
  );
}
