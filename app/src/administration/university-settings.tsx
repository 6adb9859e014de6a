import { dataOf, type Schemas } from "learning-platform-client";
import { DangerZone } from "../components/danger-zone.tsx";
import { CheckboxField } from "../components/field.tsx";
import { Form, isCheckboxFieldChecked } from "../components/form.tsx";
import { QueryBoundary, type QueryHookResult } from "../query.tsx";
import { navigateAwayFromDeleted } from "../router.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser, useSession } from "../session.tsx";
import { t } from "../texts.ts";
import { BrandNameColorFields, readBrandNameColorFields } from "./branding-fields.tsx";
import { UniversityLogoUpload } from "./logo.tsx";
import { readUniversityFields, UniversityFields } from "./university-fields.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type University = Schemas["University"];

export const UniversitySettingsScreen = ({ university }: { university: string }) => (
  <UniversityAdministrationLayout university={university} part="settings" title={t("university.settings")}>
    {(query) => (
      <QueryBoundary of={query}>{(found) => <Settings university={found} query={query} />}</QueryBoundary>
    )}
  </UniversityAdministrationLayout>
);

function Settings({ university, query }: { university: University; query: QueryHookResult<University> }) {
  const person = useCurrentUser();
  const session = useSession();
  const params = { path: { university_id: university.id } };
  const save = async (fields: FormData) => {
    const requires_own_provider = isCheckboxFieldChecked(fields, "requires_own_provider");
    const body = {
      ...readUniversityFields(fields),
      ...readBrandNameColorFields(fields),
      requires_own_provider,
    };
    query.set(await dataOf(apiClient.updateUniversity({ params, body })));
    session.person.again();
  };
  const remove = async () => {
    await dataOf(apiClient.deleteUniversity({ params }));
    navigateAwayFromDeleted("administration");
  };
  return (
    <>
      <Form class="form card" send={save} submit={t("save")} done={t("saved")}>
        <UniversityFields university={university} />
        <BrandNameColorFields university={university} />
        <CheckboxField
          name="requires_own_provider"
          label={t("university.own.provider")}
          about={t("university.own.provider.about")}
        >
          <input type="checkbox" defaultChecked={university.requires_own_provider} />
        </CheckboxField>
      </Form>
      <UniversityLogoUpload university={university} query={query} />
      {isPlatformAdmin(person) && (
        <DangerZone
          label={t("university.delete")}
          sure={t("university.delete.sure", { name: university.name })}
          end={remove}
        />
      )}
    </>
  );
}
