import { allOf, dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { Form } from "../components/form.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type SubjectsProps = { course: Schemas["Course"]; onChange: (course: Schemas["Course"]) => void };

export function CourseSubjectsSection({ course, onChange }: SubjectsProps) {
  const subjects = useQuery(
    (signal) => allOf(apiClient.listSubjects, { params: { query: { limit: 1000 } }, signal }),
    [],
  );
  const path = { course_id: course.id };
  const save = async (fields: FormData, present = course) => {
    const body = fields.getAll("subject").map((id) => ({
      subject_id: Number(id),
      is_primary: Number(id) === course.primary_subject_id,
    }));
    await dataOf(
      apiClient.updateCourseSubjects({ params: { path, header: ifMatch(present.version) }, body }),
    );
    onChange(await dataOf(apiClient.getCourse({ params: { path } })));
  };
  return (
    <section class="card" aria-labelledby="subjects">
      <h2 id="subjects">{t("subjects")}</h2>
      <QueryBoundary of={subjects}>
        {(found) => (
          <Form send={save} onPresent={onChange} submit={t("save")} done={t("saved")}>
            <fieldset class="ticks">
              <legend class="unseen">{t("subjects")}</legend>
              {found.map(({ id, name }) => (
                <label key={id} class="check">
                  <input
                    type="checkbox"
                    name="subject"
                    value={id}
                    defaultChecked={course.subjects.some((one) => one.id === id)}
                  />
                  {name}
                </label>
              ))}
            </fieldset>
          </Form>
        )}
      </QueryBoundary>
    </section>
  );
}
