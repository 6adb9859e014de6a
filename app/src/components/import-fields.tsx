import { t } from "../texts.ts";
import { CheckboxField, Field } from "./field.tsx";

/** Files of an import. Read them with `filesIn` from `chosen-files.ts`. */
export const ImportFilesField = ({ accept }: { accept: string }) => (
  <Field name="files" label={t("imports.files")}>
    <input type="file" accept={accept} multiple required />
  </Field>
);

/** Dry run, on by default. */
export const DryRunField = () => (
  <CheckboxField name="dry_run" label={t("imports.try.first")}>
    <input type="checkbox" defaultChecked />
  </CheckboxField>
);
