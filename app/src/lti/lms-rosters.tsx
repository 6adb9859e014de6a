import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Roster = Schemas["LtiRoster"];

/** LMS rosters of an offering. Renders nothing if there are none. */
export function LmsRosterSyncPanel({ offering }: { offering: number }) {
  const rosters = useQuery(
    (signal) => dataOf(apiClient.listLtiRosters({ params: { path: { offering_id: offering } }, signal })),
    [offering],
  );
  return (
    <QueryBoundary of={rosters}>
      {(found) =>
        found.length > 0 && (
          <section class="stack" aria-labelledby="lms-rosters">
            <div class="line-head">
              <h2 id="lms-rosters">{t("lms.rosters")}</h2>
              <ActionButton class="quiet" run={async () => rosters.again()}>
                {t("lms.roster.again")}
              </ActionButton>
            </div>
            {found.map((roster) => (
              <RosterCard key={roster.lti_context_id} roster={roster} onAsked={rosters.again} />
            ))}
          </section>
        )
      }
    </QueryBoundary>
  );
}

function RosterCard({ roster, onAsked }: { roster: Roster; onAsked: () => void }) {
  const { course_offering_id: offering_id, lti_context_id, title, platform_name, state, counts } = roster;
  const ask = async (mode: "WHOLE" | "DRY" | "CONFIRMED") => {
    const sure = t("lms.roster.confirm.sure", { count: counts?.dropped ?? 0, course: title });
    if (mode === "CONFIRMED" && !confirm(sure)) return;
    await dataOf(
      apiClient.readLtiRoster({ params: { path: { offering_id, lti_context_id } }, body: { mode } }),
    );
    onAsked();
  };
  return (
    <div class="card">
      <div class="line-head">
        <strong>{title}</strong>
        <span class="quiet">{platform_name}</span>
      </div>
      <p role="status">{stateOf(roster)}</p>
      {counts && <p class="quiet">{t("lms.roster.counts", counts)}</p>}
      {counts !== null && counts.awaiting_sign_in > 0 && (
        <p class="quiet">{t("lms.roster.sign_in", { count: counts.awaiting_sign_in })}</p>
      )}
      {roster.is_offered && (
        <div class="row">
          {state === "WAITING" && (
            <ActionButton run={() => ask("CONFIRMED")}>
              {t("lms.roster.confirm", { count: counts?.dropped ?? 0 })}
            </ActionButton>
          )}
          <ActionButton
            class="quiet"
            run={() => ask("DRY")}
            label={t("lms.roster.dry.one", { course: title })}
          >
            {t("lms.roster.dry")}
          </ActionButton>
          <ActionButton
            class="quiet"
            run={() => ask("WHOLE")}
            label={t("lms.roster.read.one", { course: title })}
          >
            {t("lms.roster.read")}
          </ActionButton>
        </div>
      )}
    </div>
  );
}

function stateOf({ is_offered, state, ended_at, failure }: Roster): string {
  if (!is_offered) return t("lms.roster.none");
  if (state === null) return t("lms.roster.new");
  const when = ended_at ? formatDayAndTime(ended_at) : "";
  return t(`lms.roster.${state}`, { when, reason: failure ?? "" });
}
