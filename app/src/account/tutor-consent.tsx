import { dataOf } from "learning-platform-client";
import { CheckboxField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser, useSession } from "../session.tsx";
import { t } from "../texts.ts";

/** Lets the user choose how much of their performance the tutor sees. */
export function TutorSeesResultsConsentForm() {
  const { profile } = useCurrentUser();
  const { person } = useSession();
  async function save(fields: FormData) {
    await dataOf(
      apiClient.updateMyProfile({
        body: { tutor_sees_results: isCheckboxFieldChecked(fields, "tutor_sees_results") },
      }),
    );
    person.again();
  }
  return (
    <section class="card" aria-labelledby="own-tutor">
      <h2 id="own-tutor">{t("account.tutor")}</h2>
      <Form send={save} submit={t("save")} done={t("saved")}>
        <CheckboxField
          name="tutor_sees_results"
          label={t("account.tutor.results")}
          about={t("account.tutor.about")}
        >
          <input type="checkbox" defaultChecked={profile.tutor_sees_results} />
        </CheckboxField>
      </Form>
    </section>
  );
}
