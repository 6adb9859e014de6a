import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAuthoringLayout } from "./course-layout.tsx";

type Course = Schemas["Course"];
type Exemption = Schemas["Exemption"];

export const PrerequisiteExemptionsScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="exemptions">
    {(found) => <Exemptions course={found} />}
  </CourseAuthoringLayout>
);

function Exemptions({ course }: { course: Course }) {
  const path = { course_id: course.id };
  const [q, search] = useState("");
  const [done, setDone] = useState("");
  const exemptions = usePagedQuery(
    (part, signal) =>
      dataOf(
        apiClient.listCourseExemptions({ params: { path, query: { ...part, ...(q && { q }) } }, signal }),
      ),
    [course.id, q],
  );
  const grant = async (fields: FormData) => {
    const body = {
      email: readTextField(fields, "email"),
      prerequisite_course_id: readNumberFieldOrNull(fields, "prerequisite_course_id") ?? 0,
    };
    const granted = await dataOf(apiClient.grantCourseExemption({ params: { path }, body }));
    setDone(t("offer" in granted ? "offered" : "saved"));
    exemptions.query.again();
  };
  return (
    <>
      <p class="quiet">{t("exemptions.about")}</p>
      <SearchForm label={t("exemptions.search")} onSearch={search} />
      <PagedLineList of={exemptions} empty={t(q ? "exemptions.none" : "exemptions.empty")}>
        {(one) => <ExemptionLine exemption={one} course={course} onChange={exemptions.query.again} />}
      </PagedLineList>
      {course.prerequisites.length === 0 ? (
        <EmptyMessage>{t("exemptions.nothing")}</EmptyMessage>
      ) : (
        <NewEntryCard
          id="new-exemption"
          title={t("exemptions.new")}
          submit={t("exemptions.grant")}
          send={grant}
          done={done}
        >
          <div class="fields">
            <Field name="email" label={t("email")}>
              <input type="email" required />
            </Field>
            <SelectField
              name="prerequisite_course_id"
              label={t("exemptions.from")}
              of={course.prerequisites.map((one) => [one.prerequisite_course_id, `${one.code} ${one.title}`])}
              chosen={null}
            />
          </div>
        </NewEntryCard>
      )}
    </>
  );
}

type LineProps = { exemption: Exemption; course: Course; onChange: () => void };

function ExemptionLine({ exemption, course, onChange }: LineProps) {
  const { id, course_id, prerequisite_course_id, user_id, full_name, created_at } = exemption;
  const name = full_name ?? t("exemptions.person", { id: user_id });
  const required = course.prerequisites.find((one) => one.prerequisite_course_id === prerequisite_course_id);
  const withdraw = async () => {
    if (!confirm(t("exemptions.withdraw.sure", { name }))) return;
    await dataOf(apiClient.revokeCourseExemption({ params: { path: { course_id, exemption_id: id } } }));
    onChange();
  };
  return (
    <li>
      <span>
        {name}{" "}
        <small>
          {required ? `${required.code} ${required.title}` : `#${prerequisite_course_id}`} ·{" "}
          {formatDay(created_at)}
        </small>
      </span>
      <ActionButton class="quiet" run={withdraw} label={t("exemptions.withdraw.of", { name })}>
        {t("exemptions.withdraw")}
      </ActionButton>
    </li>
  );
}
