import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { CheckboxField, Field } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked, readTextField } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

export function EnrollOneByEmailForm({ offering }: { offering: number }) {
  const [done, setDone] = useState("");
  const enroll = async (fields: FormData) => {
    const body = {
      course_offering_id: offering,
      email: readTextField(fields, "email"),
      ...(isCheckboxFieldChecked(fields, "override") && { override: true }),
    };
    const created = await dataOf(apiClient.createEnrollment({ body }));
    setDone(t("offer" in created ? "offered" : "enroll.done"));
  };
  return (
    <section class="card" aria-labelledby="enroll">
      <h2 id="enroll">{t("enroll.someone")}</h2>
      <Form send={enroll} submit={t("enroll")} done={done} clears>
        <Field name="email" label={t("email")}>
          <input type="email" required />
        </Field>
        <CheckboxField name="override" label={t("imports.override")}>
          <input type="checkbox" />
        </CheckboxField>
      </Form>
    </section>
  );
}
