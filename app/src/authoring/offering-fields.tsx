import { allOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { Field, NumberField, SelectField } from "../components/field.tsx";
import { readSelectField, readTextFieldOrNull } from "../components/form.tsx";
import { SelectByIdField, toNameOption } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { OfferingStartEndFields } from "./offering-start-end-fields.tsx";

type Offering = Schemas["Offering"];
type OfferingFieldsProps = { university: number; offering?: Offering };

export function OfferingFields({ university, offering }: OfferingFieldsProps) {
  const [term, choose] = useState<Schemas["Term"]>();
  return (
    <>
      <div class="fields">
        <TermSelectField university={university} term={offering?.term_id ?? null} onChoose={choose} />
        <Field name="term_name" label={t("offering.term.name")} about={t("offering.term.name.about")}>
          <input maxLength={255} defaultValue={offering?.term_name ?? ""} />
        </Field>
      </div>
      <OfferingStartEndFields term={term} starts_at={offering?.starts_at} ends_at={offering?.ends_at} />
      <div class="fields">
        <DateTimeField
          name="enrollment_start"
          label={t("offering.enroll.from")}
          value={offering?.enrollment_start}
        />
        <DateTimeField
          name="enrollment_end"
          label={t("offering.enroll.to")}
          value={offering?.enrollment_end}
        />
      </div>
      <div class="fields">
        <SelectField
          name="visibility"
          label={t("offering.visibility")}
          of={withTranslatedLabels("offering", ["PRIVATE", "PUBLIC"])}
          chosen={offering?.visibility ?? "PRIVATE"}
        />
        <NumberField
          name="capacity"
          label={t("offering.seats")}
          about={t("offering.seats.about")}
          min={1}
          value={offering?.capacity}
        />
        <SelectField
          name="enrollment_mode"
          label={t("offering.enroll")}
          of={withTranslatedLabels("offering", ["OPEN", "KEY", "STAFF"])}
          chosen={offering?.enrollment_mode ?? "OPEN"}
        />
        <Field name="enrollment_key" label={t("enroll.key")} about={t("offering.key.about")}>
          <input
            minLength={8}
            maxLength={128}
            autocomplete="off"
            defaultValue={offering?.enrollment_key ?? ""}
          />
        </Field>
        <SelectField
          name="completion_rule"
          label={t("offering.completion")}
          of={withTranslatedLabels("offering", ["ALL_ITEMS", "MANUAL"])}
          chosen={offering?.completion_rule ?? "ALL_ITEMS"}
        />
      </div>
    </>
  );
}

type TermFieldProps = {
  university: number;
  term: number | null;
  onChoose?: (term: Schemas["Term"] | undefined) => void;
};

export function TermSelectField({ university, term, onChoose }: TermFieldProps) {
  const path = { university_id: university };
  const query = { limit: 1000, sort: "-starts_on" as const };
  const terms = useQuery(
    (signal) => allOf(apiClient.listUniversityTerms, { params: { path, query }, signal }),
    [university],
  );
  return (
    <QueryBoundary of={terms}>
      {(found) => (
        <SelectByIdField
          name="term_id"
          label={t("offering.term")}
          of={found.map(toNameOption)}
          chosen={term}
          onChoose={(id) => onChoose?.(found.find((one) => one.id === id))}
        />
      )}
    </QueryBoundary>
  );
}

/** The form's fields. The term is omitted until the list of terms has loaded. */
export const readOfferingFields = (fields: FormData, before?: Offering) => ({
  ...(fields.has("term_id") && { term_id: readNumberFieldOrNull(fields, "term_id") }),
  term_name: readTextFieldOrNull(fields, "term_name"),
  starts_at: readDateTimeField(fields, "starts_at", before?.starts_at),
  ends_at: readDateTimeField(fields, "ends_at", before?.ends_at),
  enrollment_start: readDateTimeField(fields, "enrollment_start", before?.enrollment_start),
  enrollment_end: readDateTimeField(fields, "enrollment_end", before?.enrollment_end),
  visibility: readSelectField<Offering["visibility"]>(fields, "visibility"),
  capacity: readNumberFieldOrNull(fields, "capacity"),
  enrollment_mode: readSelectField<Offering["enrollment_mode"]>(fields, "enrollment_mode"),
  enrollment_key: readTextFieldOrNull(fields, "enrollment_key"),
  completion_rule: readSelectField<Offering["completion_rule"]>(fields, "completion_rule"),
});
