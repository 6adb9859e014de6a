import { dataOf, type Schemas } from "learning-platform-client";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { Field, NumberField, SelectField } from "../components/field.tsx";
import { readSelectField, readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { toTitleOption } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";

type Item = Schemas["ContentItem"];

export const ItemTitleField = ({ item }: { item: Item }) => (
  <Field name="title" label={t("title")}>
    <input maxLength={255} defaultValue={item.title} required />
  </Field>
);

export function ItemSettingsFields({ item }: { item: Item }) {
  const path = { course_id: item.course_id };
  const modules = useQuery(
    (signal) => dataOf(apiClient.listCourseModules({ params: { path }, signal })),
    [item.course_id],
  );
  const seconds = item.estimated_duration_seconds;
  return (
    <>
      <Field name="description" label={t("description")}>
        <textarea rows={2} maxLength={20_000} defaultValue={item.description ?? ""} />
      </Field>
      <Field name="tutor_line" label={t("tutor.line")} about={t("tutor.line.item")}>
        <textarea rows={2} maxLength={4000} defaultValue={item.tutor_line ?? ""} />
      </Field>
      <div class="fields">
        <QueryBoundary of={modules}>
          {(found) => (
            <SelectField
              name="module_id"
              label={t("item.module")}
              of={found.map(toTitleOption)}
              chosen={item.module_id}
            />
          )}
        </QueryBoundary>
        <NumberField
          name="estimated_duration_seconds"
          label={t("item.duration")}
          min={0}
          step="any"
          value={seconds === null ? null : seconds / 60}
        />
        <DateTimeField name="available_from" label={t("available.from")} value={item.available_from} />
        <DateTimeField name="due_at" label={t("due.at")} value={item.due_at} />
        <SelectField
          name="tutor_mode"
          label={t("tutor.mode")}
          about={t("tutor.mode.about")}
          of={withTranslatedLabels("tutor.mode", ["IMMEDIATE", "REVIEWED"])}
          chosen={item.tutor_mode}
        />
      </div>
    </>
  );
}

/** The form's fields. The module is included only if the item moves. */
export function readItemFields(fields: FormData, before: Item) {
  const minutes = readNumberFieldOrNull(fields, "estimated_duration_seconds");
  const module_id = readNumberFieldOrNull(fields, "module_id") ?? before.module_id;
  return {
    title: readTextField(fields, "title"),
    description: readTextFieldOrNull(fields, "description"),
    tutor_line: readTextFieldOrNull(fields, "tutor_line"),
    tutor_mode: readSelectField<Item["tutor_mode"]>(fields, "tutor_mode"),
    estimated_duration_seconds: minutes === null ? null : Math.round(minutes * 60),
    available_from: readDateTimeField(fields, "available_from", before.available_from),
    due_at: readDateTimeField(fields, "due_at", before.due_at),
    ...(module_id !== before.module_id && { module_id }),
  };
}
