import { useEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { saveAs } from "../components/save-as.ts";
import { formatDayAndTime, formatReportDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { canSeeReports, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { InactiveLearnersReport } from "./inactive-learners.tsx";
import {
  fetchReportCsv,
  type LoadedReports,
  type ReportName,
  type ReportPeriodQuery,
  readReports,
  reportedPeriod,
  type SelectedReportScope,
} from "./read-reports.ts";
import { ReportCharts } from "./report-charts.tsx";
import { ReportScopeFields } from "./scope-choice.tsx";
import { ReportTiles } from "./tiles.tsx";
import {
  initialReportScope,
  listUniversityReportAccess,
  type UniversityReportAccess,
} from "./university-report-access.ts";

export function ReportsScreen() {
  const person = useCurrentUser();
  return (
    <>
      <ScreenHeading title={t("reports")} />
      {canSeeReports(person) ? <Chosen /> : <Notice kind="error">{t("reports.administrators")}</Notice>}
    </>
  );
}

function Chosen() {
  const person = useCurrentUser();
  const readable = useQuery((signal) => listUniversityReportAccess(person, signal), []);
  return (
    <QueryBoundary of={readable}>
      {(found) => {
        const beginning = initialReportScope(person, found);
        return beginning ? (
          <Scoped readable={found} beginning={beginning} />
        ) : (
          <EmptyMessage>{t("reports.no.university")}</EmptyMessage>
        );
      }}
    </QueryBoundary>
  );
}

function Scoped({
  readable,
  beginning,
}: {
  readable: UniversityReportAccess[];
  beginning: SelectedReportScope;
}) {
  const [scope, setScope] = useState(beginning);
  const [period, setPeriod] = useState<ReportPeriodQuery>({});
  const reports = useQuery((signal) => readReports(scope, period, signal), [scope, period]);
  return (
    <>
      <div class="filters">
        <ReportScopeFields
          readable={readable}
          hasPlatform={beginning.kind === "platform"}
          scope={scope}
          onChoose={setScope}
        />
        <PeriodChoice
          from={reports.value && reportedPeriod(reports.value).date_from}
          to={reports.value && reportedPeriod(reports.value).date_to}
          onChoose={setPeriod}
        />
      </div>
      <QueryBoundary of={reports}>
        {(found) => (
          <>
            {found.tutor?.as_of && (
              <Notice>{t("reports.as.of", { moment: formatDayAndTime(found.tutor.as_of) })}</Notice>
            )}
            {found.university?.time_zone_from && (
              <p class="quiet">
                {t("reports.time.zone", { day: formatReportDay(found.university.time_zone_from) })}
              </p>
            )}
            <ReportTiles reports={found} />
            {found.stuck && <InactiveLearnersReport stuck={found.stuck} scope={scope} />}
            <ReportCharts reports={found} />
            <Downloads reports={found} scope={scope} period={period} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

type PeriodChoiceProps = {
  /** The served period. The fields keep what the user typed. */
  from: string | undefined;
  to: string | undefined;
  onChoose: (period: ReportPeriodQuery) => void;
};

/** The period. The service fills in empty fields. */
function PeriodChoice({ from, to, onChoose }: PeriodChoiceProps) {
  const first = useRef<HTMLInputElement>(null);
  const last = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (first.current && from) first.current.value = from;
    if (last.current && to) last.current.value = to;
  }, [from, to]);
  const choose = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const chosen = [...form].filter(([, date]) => date !== "");
    onChoose(Object.fromEntries(chosen) as ReportPeriodQuery);
  };
  return (
    <form class="period" onSubmit={choose}>
      <label>
        {t("reports.from")}
        <input type="date" name="date_from" ref={first} />
      </label>
      <label>
        {t("reports.to")}
        <input type="date" name="date_to" ref={last} />
      </label>
      <button type="submit">{t("reports.show")}</button>
    </form>
  );
}

type DownloadsProps = { reports: LoadedReports; scope: SelectedReportScope; period: ReportPeriodQuery };

function Downloads({ reports, scope, period }: DownloadsProps) {
  const names = (Object.keys(reports) as (keyof LoadedReports)[]).filter(
    (name): name is ReportName => name !== "stuck" && reports[name] !== undefined,
  );
  const save = async (name: ReportName) => saveAs(`${name}.csv`, await fetchReportCsv(name, scope, period));
  return (
    <nav class="row downloads" aria-label={t("reports.csv")}>
      {names.map((name) => (
        <ActionButton key={name} class="quiet" run={() => save(name)}>
          {name}.csv
        </ActionButton>
      ))}
    </nav>
  );
}
