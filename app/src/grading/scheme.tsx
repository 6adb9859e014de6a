import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { pickChangedFields } from "../components/changed-fields.ts";
import { DangerZone } from "../components/danger-zone.tsx";
import { NumberField, SelectField } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import {
  DropLowestScoresField,
  type GradedItemIdAndTitle,
  GradeGroupsEditor,
  LetterScaleEditor,
} from "./grading-scheme-editors.tsx";

type Scheme = Schemas["GradingScheme"];
type RouteProps = { course: string; offering: string };

const graded = ["quiz", "engineering_lab", "assignment", "scorm", "external_tool"];

export function GradingSchemeScreen({ course, offering }: RouteProps) {
  const path = { offering_id: Number(offering) };
  const scheme = useQuery(
    (signal) => dataOf(apiClient.getGradingScheme({ params: { path }, signal })),
    [offering],
  );
  const items = useQuery(
    async (signal): Promise<GradedItemIdAndTitle[]> => {
      const whole = { course_id: Number(course), ...path };
      const { modules } = await dataOf(
        apiClient.getCourseOfferingOutline({ params: { path: whole }, signal }),
      );
      return modules.flatMap((module) => module.items).filter((item) => graded.includes(item.content_type));
    },
    [course, offering],
  );
  return (
    <OfferingTabLayout course={course} offering={offering} side="teaching" part="grading" title={t("scheme")}>
      <QueryBoundary of={items}>
        {(found) => (
          <QueryBoundary of={scheme}>
            {(set) => <SchemeForm scheme={set} items={found} query={scheme} />}
          </QueryBoundary>
        )}
      </QueryBoundary>
    </OfferingTabLayout>
  );
}

type FormProps = { scheme: Scheme; items: GradedItemIdAndTitle[]; query: QueryHookResult<Scheme> };

function SchemeForm({ scheme, items, query }: FormProps) {
  const [letter_scale, setLetters] = useState(scheme.letter_scale);
  const [groups, setGroups] = useState(scheme.groups);
  const params = { path: { offering_id: scheme.course_offering_id } };
  const save = async (fields: FormData, present = scheme) => {
    const wanted = {
      passing_percent: readNumberFieldOrNull(fields, "passing_percent") ?? 0,
      release_mode: readSelectField<Scheme["release_mode"]>(fields, "release_mode"),
      drop_lowest:
        groups.length > 0 ? scheme.drop_lowest : (readNumberFieldOrNull(fields, "drop_lowest") ?? 0),
      late_percent_per_day: readNumberFieldOrNull(fields, "late_percent_per_day"),
      max_late_days: readNumberFieldOrNull(fields, "max_late_days"),
      ...{ letter_scale, groups },
    };
    const body = pickChangedFields(wanted, scheme);
    query.set(
      await dataOf(
        apiClient.setGradingScheme({ params: { ...params, header: ifMatch(present.version) }, body }),
      ),
    );
  };
  const show = (present: Scheme) => {
    setLetters(present.letter_scale);
    setGroups(present.groups);
    query.set(present);
  };
  const remove = async () => {
    await dataOf(apiClient.deleteGradingScheme({ params: { ...params, header: ifMatch(scheme.version) } }));
    query.again();
  };
  return (
    <>
      <p class="quiet">{t(scheme.is_graded ? "scheme.is.graded" : "scheme.not.graded")}</p>
      <Form class="form card" send={save} onPresent={show} submit={t("save")} done={t("saved")}>
        <div class="fields">
          <NumberField
            name="passing_percent"
            label={t("scheme.passing")}
            min={0}
            max={100}
            step="any"
            value={scheme.passing_percent}
            required
          />
          <SelectField
            name="release_mode"
            label={t("scheme.release")}
            of={withTranslatedLabels("scheme", ["AUTOMATIC", "MANUAL"])}
            chosen={scheme.release_mode}
          />
          <LateFields scheme={scheme} />
          {groups.length === 0 && <DropLowestScoresField name="drop_lowest" value={scheme.drop_lowest} />}
        </div>
        <LetterScaleEditor letters={letter_scale} onChange={setLetters} />
        <GradeGroupsEditor groups={groups} items={items} onChange={setGroups} />
      </Form>
      {scheme.is_graded && (
        <DangerZone label={t("scheme.delete")} sure={t("scheme.delete.sure")} end={remove} />
      )}
    </>
  );
}

const LateFields = ({ scheme }: { scheme: Scheme }) => (
  <>
    <NumberField
      name="late_percent_per_day"
      label={t("scheme.late.percent")}
      about={t("scheme.late.about")}
      min={0}
      max={100}
      step={0.01}
      value={scheme.late_percent_per_day}
    />
    <NumberField
      name="max_late_days"
      label={t("scheme.late.days")}
      about={t("scheme.late.days.about")}
      min={0}
      max={365}
      value={scheme.max_late_days}
    />
  </>
);
