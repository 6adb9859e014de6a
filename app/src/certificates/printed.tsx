import type { Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { typed } from "../components/form.tsx";
import { MomentField, momentOf } from "../components/moments.tsx";
import { t } from "../texts.ts";

/** What is printed on a certificate, where it is another name than the account's, and how long it holds. */
export const PrintedFields = ({ name }: { name?: string }) => (
  <>
    <Field name="printed_name" label={t("certificates.name")} about={t("certificates.name.about")}>
      <input maxLength={255} defaultValue={name} />
    </Field>
    <MomentField name="expires_at" label={t("certificates.until")} />
  </>
);

/** What was left empty follows from the account and the offering's settings. */
export function printedOf(fields: FormData): Schemas["CertificateReissue"] {
  const printed_name = typed(fields, "printed_name");
  const expires_at = momentOf(fields, "expires_at");
  return { ...(printed_name && { printed_name }), ...(expires_at && { expires_at }) };
}
