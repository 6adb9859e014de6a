import { allOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { Empty } from "../components/empty.tsx";
import { Heading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { saveAs } from "../components/save-as.ts";
import { dayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { isPlatformAdmin, seesReports, usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { type Period, type ReportName, type Reports, readCsv, readReports, type Scope } from "./data.ts";
import { Drawings } from "./drawings.tsx";
import { Stuck } from "./stuck.tsx";
import { Tiles } from "./tiles.tsx";

/** The reports, for whoever administers the platform or a university. */
export function ReportsScreen() {
  const person = usePerson();
  return (
    <>
      <Heading title={t("reports")} />
      {seesReports(person) ? <Chosen /> : <Notice kind="error">{t("reports.administrators")}</Notice>}
    </>
  );
}

function Chosen() {
  const person = usePerson();
  const universities = useQuery((signal) => administered(person.roles, signal), []);
  return (
    <QueryBoundary of={universities}>
      {(found) =>
        isPlatformAdmin(person) || found[0] ? (
          <Scoped
            universities={found}
            beginning={isPlatformAdmin(person) || !found[0] ? undefined : found[0].id}
          />
        ) : (
          <Empty>{t("reports.no.university")}</Empty>
        )
      }
    </QueryBoundary>
  );
}

/** The universities whose reports someone may read. */
async function administered(
  roles: Schemas["OwnRole"][],
  signal: AbortSignal,
): Promise<Schemas["University"][]> {
  const all = await allOf(api.listUniversities, { params: { query: { limit: 1000 } }, signal });
  if (roles.some(({ role }) => role === "PLATFORM_ADMIN")) return all;
  const own = new Set(
    roles.filter(({ role }) => role === "UNIVERSITY_ADMIN").map(({ university_id }) => university_id),
  );
  return all.filter(({ id }) => own.has(id));
}

type ScopedProps = {
  universities: Schemas["University"][];
  /** Whose reports are shown at first; undefined: the platform's. */
  beginning: number | undefined;
};

function Scoped({ universities, beginning }: ScopedProps) {
  const [scope, setScope] = useState<Scope>(
    beginning === undefined ? { kind: "platform" } : { kind: "university", university: beginning },
  );
  const [period, setPeriod] = useState<Period>({});
  const reports = useQuery((signal) => readReports(scope, period, signal), [scope, period]);
  return (
    <>
      <div class="filters">
        <ScopeChoice
          universities={universities}
          hasPlatform={beginning === undefined}
          scope={scope}
          onChoose={setScope}
        />
        <PeriodChoice
          from={reports.value?.tutor.date_from}
          to={reports.value?.tutor.date_to}
          onChoose={setPeriod}
        />
      </div>
      <QueryBoundary of={reports}>
        {(found) => (
          <>
            {found.tutor.as_of && (
              <Notice>{t("reports.as.of", { moment: dayAndTime(found.tutor.as_of) })}</Notice>
            )}
            <Tiles reports={found} />
            {found.stuck && <Stuck stuck={found.stuck} scope={scope} />}
            <Drawings reports={found} />
            <Downloads reports={found} scope={scope} period={period} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

type ScopeChoiceProps = {
  universities: Schemas["University"][];
  hasPlatform: boolean;
  scope: Scope;
  onChoose: (scope: Scope) => void;
};

function ScopeChoice({ universities, hasPlatform, scope, onChoose }: ScopeChoiceProps) {
  const university = scope.kind === "platform" ? undefined : scope.university;
  const offerings = useQuery(
    async (signal) =>
      university === undefined
        ? []
        : allOf(api.listOfferings, {
            params: { query: { university_id: university, limit: 1000, sort: "-starts_at" } },
            signal,
          }),
    [university],
  );
  const chooseOffering = (id: number) => {
    if (university === undefined) return;
    const course = offerings.value?.find((one) => one.id === id)?.course_id;
    if (course === undefined) onChoose({ kind: "university", university });
    else onChoose({ kind: "offering", university, offering: id, course });
  };
  return (
    <>
      <label>
        {t("reports.of")}
        <select
          value={university ?? ""}
          onChange={({ currentTarget: { value } }) =>
            onChoose(value ? { kind: "university", university: Number(value) } : { kind: "platform" })
          }
        >
          {hasPlatform && <option value="">{t("reports.platform")}</option>}
          {universities.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {university !== undefined && (
        <label>
          {t("reports.offering")}
          <select
            value={scope.kind === "offering" ? scope.offering : ""}
            onChange={({ currentTarget: { value } }) => chooseOffering(Number(value))}
          >
            <option value="">{t("reports.all.offerings")}</option>
            {(offerings.value ?? []).map(({ id, course, term_name }) => (
              <option key={id} value={id}>
                {[course.code, course.title, term_name].filter(Boolean).join(" · ")}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

type PeriodChoiceProps = {
  /** What the service has answered for; what people type in between is theirs. */
  from: string | undefined;
  to: string | undefined;
  onChoose: (period: Period) => void;
};

/** The period that is shown; what is left empty is the service's to fill in. */
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
    onChoose(Object.fromEntries(chosen) as Period);
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

type DownloadsProps = { reports: Reports; scope: Scope; period: Period };

function Downloads({ reports, scope, period }: DownloadsProps) {
  const names = (Object.keys(reports) as (keyof Reports)[]).filter(
    (name): name is ReportName => name !== "stuck" && reports[name] !== undefined,
  );
  const save = async (name: ReportName) => saveAs(`${name}.csv`, await readCsv(name, scope, period));
  return (
    <nav class="row downloads" aria-label={t("reports.csv")}>
      {names.map((name) => (
        <Action key={name} class="quiet" run={() => save(name)}>
          {name}.csv
        </Action>
      ))}
    </nav>
  );
}
