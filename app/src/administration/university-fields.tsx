import { allOf, type Schemas } from "learning-platform-client";
import { CheckboxField, Field } from "../components/field.tsx";
import { isCheckboxFieldChecked, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { SelectByIdField, toNameOption } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { TimeZoneField } from "../components/time-zone-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

export function UniversityFields({ university }: { university?: Schemas["University"] }) {
  const countries = useQuery(
    (signal) =>
      allOf(apiClient.listCountries, { params: { query: { limit: 1000, sort: "name" as const } }, signal }),
    [],
  );
  return (
    <>
      <div class="fields">
        <Field name="name" label={t("name")}>
          <input maxLength={255} defaultValue={university?.name} required />
        </Field>
        <Field name="short_code" label={t("university.code")} about={t("university.code.about")}>
          <input maxLength={64} defaultValue={university?.short_code} required />
        </Field>
        <QueryBoundary of={countries}>
          {(found) => (
            <SelectByIdField
              name="country_id"
              label={t("university.country")}
              of={found.map(toNameOption)}
              chosen={university?.country_id}
              none={t("university.country.choose")}
              required
            />
          )}
        </QueryBoundary>
        <TimeZoneField value={university?.time_zone ?? "UTC"} />
        <Field name="website_url" label={t("university.website")}>
          <input
            type="url"
            maxLength={512}
            placeholder="https://"
            defaultValue={university?.website_url ?? ""}
          />
        </Field>
      </div>
      <CheckboxField name="is_active" label={t("university.active")} about={t("university.active.about")}>
        <input type="checkbox" defaultChecked={university?.is_active ?? true} />
      </CheckboxField>
    </>
  );
}

export const readUniversityFields = (fields: FormData) => ({
  name: readTextField(fields, "name"),
  short_code: readTextField(fields, "short_code"),
  country_id: readNumberFieldOrNull(fields, "country_id") ?? 0,
  time_zone: readTextField(fields, "time_zone"),
  website_url: readTextFieldOrNull(fields, "website_url"),
  is_active: isCheckboxFieldChecked(fields, "is_active"),
});
