import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { readSelectField, readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Office = Schemas["Office"];

const rights: Office["right"][] = ["accommodation:write", "retention:write", "data-request:write"];

const wordsOf = (right: Office["right"]): string => t(`office.${right}`);

/** Grants and revokes permissions beyond roles. */
export function GrantExtraPermissionsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const offices = usePagedQuery(
    (query, signal) => dataOf(apiClient.listOffices({ params: { path, query }, signal })),
    [university],
  );
  const grant = async (fields: FormData) => {
    const body = {
      email: readTextField(fields, "email"),
      right: readSelectField<Office["right"]>(fields, "right"),
    };
    await dataOf(apiClient.grantOffice({ params: { path }, body }));
    offices.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="offices" title={t("offices")}>
      <p class="quiet">{t("offices.about")}</p>
      <PagedLineList of={offices} empty={t("offices.empty")}>
        {(one) => <OfficeLine office={one} onChange={offices.query.again} />}
      </PagedLineList>
      <NewEntryCard id="new-office" title={t("offices.new")} submit={t("offices.grant")} send={grant}>
        <div class="fields">
          <Field name="email" label={t("email")}>
            <input type="email" required />
          </Field>
          <SelectField
            name="right"
            label={t("offices.right")}
            of={rights.map((right) => [right, wordsOf(right)])}
            chosen="accommodation:write"
          />
        </div>
      </NewEntryCard>
    </UniversityAdministrationLayout>
  );
}

function OfficeLine({ office, onChange }: { office: Office; onChange: () => void }) {
  const { id, university_id, full_name, email, right, granted_at } = office;
  const revoke = async () => {
    if (!confirm(t("offices.revoke.sure", { name: full_name }))) return;
    await dataOf(apiClient.revokeOffice({ params: { path: { university_id, office_id: id } } }));
    onChange();
  };
  return (
    <li>
      <span>
        {full_name} <small>{email}</small>
      </span>
      <span class="row">
        <small>
          {wordsOf(right)} · {t("offices.since", { day: formatDay(granted_at) })}
        </small>
        <ActionButton class="quiet" run={revoke} label={t("offices.revoke.of", { name: full_name })}>
          {t("offices.revoke")}
        </ActionButton>
      </span>
    </li>
  );
}
