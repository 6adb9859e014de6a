import { dataOf } from "learning-platform-client";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { readUniversityFields, UniversityFields } from "./university-fields.tsx";

/** Creates a tenant. Administrators are assigned afterwards. */
export function NewUniversityScreen() {
  const create = async (fields: FormData) => {
    const { id } = await dataOf(apiClient.createUniversity({ body: readUniversityFields(fields) }));
    location.hash = screenHref("administration", id, "roles");
  };
  return (
    <>
      <BackLink route={["administration"]}>{t("administration")}</BackLink>
      <ScreenHeading title={t("university.new")} />
      <Form class="form card" send={create} submit={t("university.create")}>
        <UniversityFields />
      </Form>
    </>
  );
}
