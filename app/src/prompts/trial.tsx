import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { FactList, type LabelledFact } from "../components/facts.tsx";
import { slowPollMs, usePolling } from "../components/polling.ts";
import { ProgressBar } from "../components/progress.tsx";
import { formatDayAndTime, formatNumber } from "../format.ts";
import { formatCostWithEstimateMark, formatMoneyMicros } from "../format-money.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { TrialCasesList } from "./trial-cases.tsx";
import { TrialCheckPassRates } from "./trial-findings.tsx";
import { TrialJudgementSummary } from "./trial-judgement.tsx";
import { TrialLeaksTable } from "./trial-leaks.tsx";
import type { TrialPathParams } from "./trial-path.ts";
import {
  PromptVersionLayout,
  type PromptVersionRouteProps,
  promptVersionPathParams,
} from "./version-layout.tsx";

type Report = Schemas["TrialReport"];

export const TrialScreen = ({ trial, ...version }: PromptVersionRouteProps & { trial: string }) => (
  <PromptVersionLayout {...version} part="trials">
    {() => <Trial path={{ ...promptVersionPathParams(version), trial_id: Number(trial) }} />}
  </PromptVersionLayout>
);

function Trial({ path }: { path: TrialPathParams }) {
  const query = useQuery((signal) => dataOf(apiClient.getPromptTrial({ params: { path }, signal })), [path]);
  usePolling(query, query.value?.state === "RUNNING", query.value?.batch ? slowPollMs : undefined);
  return (
    <QueryBoundary of={query}>
      {(report) => (
        <>
          <Standing report={report} path={path} onChange={query.again} />
          {report.cases.answered > 0 && <TrialCheckPassRates report={report} />}
          <TrialLeaksTable leaks={report.leaks} />
          <TrialJudgementSummary report={report} />
          {report.state !== "READY" && <TrialCasesList path={path} report={report} onVoted={query.again} />}
        </>
      )}
    </QueryBoundary>
  );
}

type StandingProps = { report: Report; path: TrialPathParams; onChange: () => void };

/** Estimate and status. Those who may see the trial may start and stop it. */
function Standing({ report, path, onChange }: StandingProps) {
  const { state, kind, against, model } = report;
  const start = () => dataOf(apiClient.startPromptTrial({ params: { path } })).finally(onChange);
  const stop = () => dataOf(apiClient.stopPromptTrial({ params: { path } })).finally(onChange);
  return (
    <section class="card" aria-labelledby="trial">
      <h2 id="trial">{t("trial.of", { kind: t(`trial.kind.${kind}`), against })}</h2>
      <p class="row">
        <span class="badge">{t(`trial.state.${state}`)}</span>
        <span class="quiet">{model}</span>
      </p>
      <Estimate report={report} />
      {state === "READY" && (
        <>
          <p>{t("trial.nothing.yet")}</p>
          <ActionButton class="primary" run={start}>
            {t("trial.begin")}
          </ActionButton>
        </>
      )}
      {state === "RUNNING" && (
        <>
          <p class="quiet">{t("trial.goes.on")}</p>
          <Batch batch={report.batch} />
          <ActionButton run={stop}>{t("trial.stop")}</ActionButton>
        </>
      )}
      {state !== "READY" && <HowFar report={report} />}
    </section>
  );
}

/** The provider's batch and its deadline. */
function Batch({ batch }: Pick<Report, "batch">) {
  if (!batch?.due_at) return null;
  return <p>{t("trial.batch", { n: batch.requests, due: formatDayAndTime(batch.due_at) })}</p>;
}

function Estimate({ report: { estimate, cost, state } }: { report: Report }) {
  const { calls, input_tokens, output_tokens, cost_micros, most_hours } = estimate;
  const facts: LabelledFact[] = [
    [t("trial.calls"), formatNumber(calls)],
    [
      t("trial.tokens"),
      t("trial.tokens.of", { told: formatNumber(input_tokens), answered: formatNumber(output_tokens) }),
    ],
    [t("trial.how"), most_hours ? t("trial.how.batch", { hours: most_hours }) : t("trial.how.at.once")],
    [t("trial.cost.expected"), formatMoneyMicros(cost_micros)],
    [t("trial.limit"), formatMoneyMicros(cost.limit_micros)],
    [
      t("trial.cost.spent"),
      state === "READY"
        ? undefined
        : formatCostWithEstimateMark(cost.spent_micros + cost.lost_micros, cost.calls_estimated),
    ],
  ];
  return <FactList of={facts} />;
}

function HowFar({ report: { cases, not_sent } }: { report: Report }) {
  const { waiting, running, answered, failed, skipped } = cases;
  const ended = answered + failed + skipped;
  const all = ended + waiting + running;
  return (
    <>
      <ProgressBar percent={all > 0 ? (100 * ended) / all : 100} label={t("trial.progress")} />
      <p role="status">{t("trial.answered", { answered, n: all })}</p>
      {not_sent.length > 0 && (
        <ul aria-label={t("trial.not.sent")}>
          {not_sent.map(({ reason, cases: n }) => (
            <li key={reason}>{t(`trial.reason.${reason}`, { n })}</li>
          ))}
        </ul>
      )}
    </>
  );
}
