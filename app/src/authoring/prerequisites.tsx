import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { SelectField } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";

type Prerequisite = Schemas["Prerequisite"];
type PrerequisitesProps = { course: Schemas["Course"]; onChange: () => void };

const kinds: Prerequisite["prerequisite_type"][] = ["STRICT", "RECOMMENDED", "CO_REQUISITE"];

export function CoursePrerequisitesSection({ course, onChange }: PrerequisitesProps) {
  const query = { university_id: course.university_id, limit: 1000, sort: "code" as const };
  const courses = useQuery(
    (signal) => allOf(apiClient.listCourses, { params: { query }, signal }),
    [course.university_id],
  );
  const path = { course_id: course.id };
  const add = async (fields: FormData) => {
    const body = {
      prerequisite_course_id: readNumberFieldOrNull(fields, "prerequisite_course_id") ?? 0,
      prerequisite_type: readSelectField<Prerequisite["prerequisite_type"]>(fields, "prerequisite_type"),
    };
    await dataOf(apiClient.addCoursePrerequisite({ params: { path }, body }));
    onChange();
  };
  const remove = async ({ prerequisite_course_id }: Prerequisite) => {
    await dataOf(
      apiClient.removeCoursePrerequisite({ params: { path: { ...path, prerequisite_course_id } } }),
    );
    document.getElementById("prerequisites")?.focus();
    onChange();
  };
  return (
    <section class="card" aria-labelledby="prerequisites">
      <h2 id="prerequisites" tabIndex={-1}>
        {t("prerequisites")}
      </h2>
      {course.prerequisites.length > 0 && (
        <ul class="lines">
          {course.prerequisites.map((one) => (
            <li key={one.id}>
              <span>
                {one.code} {one.title} <small>{t(`prerequisite.${one.prerequisite_type}`)}</small>
              </span>
              <ActionButton
                class="quiet"
                named={{ text: "prerequisites.remove", title: one.title }}
                run={() => remove(one)}
              >
                {t("delete")}
              </ActionButton>
            </li>
          ))}
        </ul>
      )}
      <QueryBoundary of={courses}>
        {(found) => (
          <Form send={add} submit={t("prerequisites.add")}>
            <div class="fields">
              <SelectField
                name="prerequisite_course_id"
                label={t("prerequisites.course")}
                of={found
                  .filter(({ id }) => id !== course.id)
                  .map(({ id, code, title }) => [id, `${code} ${title}`])}
                chosen={null}
              />
              <SelectField
                name="prerequisite_type"
                label={t("prerequisites.kind")}
                of={withTranslatedLabels("prerequisite", kinds)}
                chosen="STRICT"
              />
            </div>
          </Form>
        )}
      </QueryBoundary>
    </section>
  );
}
