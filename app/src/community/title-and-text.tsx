import { Field } from "../components/field.tsx";
import { textField } from "../components/form.tsx";
import { t } from "../texts.ts";

export function TitleAndText({ maxLength }: { maxLength: number }) {
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
  title: textField(fields, "title"),
  body: textField(fields, "body"),
});
