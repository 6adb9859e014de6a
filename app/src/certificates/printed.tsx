import type { Schemas } from "learning-platform-client";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { t } from "../texts.ts";

/** The printed name, if it differs from the account's, and the expiry. */
export const PrintedNameAndExpiryFields = ({ name }: { name?: string }) => (
  <>
    <Field name="printed_name" label={t("certificates.name")} about={t("certificates.name.about")}>
      <input maxLength={255} defaultValue={name} />
    </Field>
    <DateTimeField name="expires_at" label={t("certificates.until")} />
  </>
);

/** Empty fields fall back to the account and the offering's settings. */
export function readPrintedNameAndExpiryFields(fields: FormData): Schemas["CertificateReissue"] {
  const printed_name = readTextField(fields, "printed_name");
  const expires_at = readDateTimeField(fields, "expires_at");
  return { ...(printed_name && { printed_name }), ...(expires_at && { expires_at }) };
}
