import { t } from "../texts.ts";
import { CheckField, Field } from "./field.tsx";

/** The files of an import; `filesIn` of `chosen-files.ts` reads them. */
export const FilesField = ({ accept }: { accept: string }) => (
  <Field name="files" label={t("imports.files")}>
    <input type="file" accept={accept} multiple required />
  </Field>
);

/** Whether an import is tried out alone, as it is at first. */
export const TrialField = () => (
  <CheckField name="dry_run" label={t("imports.try.first")}>
    <input type="checkbox" defaultChecked />
  </CheckField>
);
