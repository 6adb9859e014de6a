import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { slowPollMs, usePolling } from "../components/polling.ts";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { RolloutArmsTable, RolloutLimitsTable } from "./rollout-numbers.tsx";
import { stopReasonLabel } from "./rollouts.tsx";

type Report = Schemas["RolloutReport"];

export function RolloutScreen({ name, rollout }: { name: string; rollout: string }) {
  const path = { prompt_name: name, rollout_id: Number(rollout) };
  const query = useQuery(
    (signal) => dataOf(apiClient.getPromptRollout({ params: { path }, signal })),
    [name, rollout],
  );
  usePolling(query, query.value?.state === "RUNNING", slowPollMs);
  return (
    <>
      <BackLink route={["prompts", name, "rollouts"]}>{t("rollouts")}</BackLink>
      <ScreenHeading title={t("rollout.title", { name, rollout })} />
      <QueryBoundary of={query}>
        {(report) => (
          <div class="prompt">
            <Standing report={report} path={path} onChange={query.again} />
            <RolloutArmsTable report={report} />
            <RolloutLimitsTable report={report} />
          </div>
        )}
      </QueryBoundary>
    </>
  );
}

type StandingProps = {
  report: Report;
  path: { prompt_name: string; rollout_id: number };
  onChange: () => void;
};

function Standing({ report, path, onChange }: StandingProps) {
  const { state, stop_reason, candidate_version, base_version, share, unit } = report;
  const { created_at, ended_at, warmings } = report;
  return (
    <section class="card" aria-labelledby="standing">
      <h2 id="standing">{t("rollout.meets", { candidate: candidate_version, base: base_version, share })}</h2>
      <p class="row">
        <span class={state === "RUNNING" ? "badge active" : "badge"}>{t(`rollout.state.${state}`)}</span>
        <span class="quiet">
          {t("rollout.unit")}: {t(`rollout.unit.${unit}`)} · {formatDayAndTime(created_at)}
          {ended_at && ` – ${formatDayAndTime(ended_at)}`}
        </span>
      </p>
      {stop_reason && <Notice>{t("rollout.stopped", { why: stopReasonLabel(stop_reason) })}</Notice>}
      {state === "PROMOTED" && <p>{t("rollout.warms", { n: warmings })}</p>}
      {state === "RUNNING" && <Deeds report={report} path={path} onChange={onChange} />}
    </section>
  );
}

/** Actions of those who may move `production`. The version's author may only stop it. */
function Deeds({ report: { author_id, candidate_version }, path, onChange }: StandingProps) {
  const person = useCurrentUser();
  if (!isPlatformAdmin(person)) return <p class="quiet">{t("rollout.who.ends")}</p>;
  const isOwn = author_id === person.profile.id;
  const promote = async () => {
    if (!confirm(t("rollout.promote.sure", { version: candidate_version }))) return;
    await dataOf(apiClient.promotePromptRollout({ params: { path } })).finally(onChange);
  };
  const stop = async () => {
    if (!confirm(t("rollout.stop.sure"))) return;
    await dataOf(apiClient.stopPromptRollout({ params: { path } })).finally(onChange);
  };
  return (
    <>
      {isOwn && <p class="quiet">{t("rollout.own")}</p>}
      <div class="row">
        {!isOwn && (
          <ActionButton class="primary" run={promote}>
            {t("rollout.promote")}
          </ActionButton>
        )}
        <ActionButton run={stop}>{t("rollout.stop")}</ActionButton>
      </div>
    </>
  );
}
