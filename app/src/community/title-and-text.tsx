import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { t } from "../texts.ts";

export function TitleAndTextFields({ maxLength }: { maxLength: number }) {
  return (
    <>
      <Field name="title" label={t("title")}>
        <input maxLength={255} required />
      </Field>
      <Field name="body" label={t("text")}>
        <textarea rows={5} maxLength={maxLength} required />
      </Field>
    </>
  );
}

export const readTitleAndTextFields = (fields: FormData) => ({
  title: readTextField(fields, "title"),
  body: readTextField(fields, "body"),
});
