import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** The teachers of an offering. They get instructor rights in its course. */
export function OfferingTeachersSection({ path }: { path: { course_id: number; offering_id: number } }) {
  const teachers = useQuery(
    (signal) =>
      allOf(apiClient.listCourseOfferingInstructors, { params: { path, query: { limit: 1000 } }, signal }),
    [path.offering_id],
  );
  const [done, setDone] = useState("");
  const add = async (fields: FormData) => {
    const added = await dataOf(
      apiClient.addCourseOfferingInstructor({
        params: { path },
        body: { email: readTextField(fields, "email") },
      }),
    );
    setDone(t("offer" in added ? "offered" : "saved"));
    teachers.again();
  };
  const remove = async (user_id: number) => {
    await dataOf(apiClient.removeCourseOfferingInstructor({ params: { path: { ...path, user_id } } }));
    document.getElementById("teachers")?.focus();
    teachers.again();
  };
  return (
    <section class="card" aria-labelledby="teachers">
      <h2 id="teachers" tabIndex={-1}>
        {t("teachers")}
      </h2>
      <QueryBoundary of={teachers}>
        {(found) => (
          <ul class="lines">
            {found.map(({ user_id, full_name }) => (
              <li key={user_id}>
                {full_name}
                <ActionButton
                  class="quiet"
                  run={() => remove(user_id)}
                  label={t("teachers.remove", { name: full_name })}
                >
                  {t("delete")}
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
      <Form send={add} submit={t("teachers.add")} done={done} clears>
        <Field name="email" label={t("email")}>
          <input type="email" required />
        </Field>
      </Form>
    </section>
  );
}
