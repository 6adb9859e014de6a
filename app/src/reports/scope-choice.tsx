import { allOf } from "learning-platform-client";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { SelectedReportScope } from "./read-reports.ts";
import { defaultScopeInUniversity, type UniversityReportAccess } from "./university-report-access.ts";

type ScopeChoiceProps = {
  readable: UniversityReportAccess[];
  hasPlatform: boolean;
  scope: SelectedReportScope;
  onChoose: (scope: SelectedReportScope) => void;
};

export function ReportScopeFields({ readable, hasPlatform, scope, onChoose }: ScopeChoiceProps) {
  const chosen =
    scope.kind === "platform"
      ? undefined
      : readable.find(({ university }) => university.id === scope.university);
  const chooseUniversity = (id: string) => {
    const found = readable.find(({ university }) => String(university.id) === id);
    onChoose(found ? defaultScopeInUniversity(found) : { kind: "platform" });
  };
  return (
    <>
      <label>
        {t("reports.of")}
        <select
          value={chosen?.university.id ?? ""}
          onChange={({ currentTarget: { value } }) => chooseUniversity(value)}
        >
          {hasPlatform && <option value="">{t("reports.platform")}</option>}
          {readable.map(({ university: { id, name } }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {chosen && <Within of={chosen} scope={scope} onChoose={onChoose} />}
    </>
  );
}

type WithinProps = {
  of: UniversityReportAccess;
  scope: SelectedReportScope;
  onChoose: (scope: SelectedReportScope) => void;
};

function Within({ of, scope, onChoose }: WithinProps) {
  const university = of.university.id;
  const department = scope.kind === "department" || scope.kind === "offering" ? scope.department : undefined;
  const offerings = useQuery(
    (signal) =>
      allOf(apiClient.listOfferings, {
        params: {
          query: {
            university_id: university,
            ...(department !== undefined && { department_id: department }),
            limit: 1000,
            sort: "-starts_at",
          },
        },
        signal,
      }),
    [university, department],
  );
  const chooseOffering = (id: number) => {
    const course = offerings.value?.find((one) => one.id === id)?.course_id;
    const at = { university, ...(department !== undefined && { department }) };
    if (course === undefined) onChoose(defaultScopeInUniversity(of, department));
    else onChoose({ kind: "offering", ...at, offering: id, course });
  };
  return (
    <>
      {of.departments.length > 0 && (
        <label>
          {t("reports.department")}
          <select
            value={department ?? ""}
            onChange={({ currentTarget: { value } }) =>
              onChoose(defaultScopeInUniversity(of, value === "" ? undefined : Number(value)))
            }
          >
            {of.isWhole && <option value="">{t("reports.all.departments")}</option>}
            {of.departments.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
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
    </>
  );
}
