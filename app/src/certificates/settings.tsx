import { dataOf, type Schemas } from "learning-platform-client";
import { NumberField, SelectField } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";

type Issuance = Schemas["CertificateSettings"]["issuance"];

/** Automatic issue on completion, and validity. */
export function CertificateSettingsForm({ offering }: { offering: number }) {
  const params = { path: { offering_id: offering } };
  const settings = useQuery(
    (signal) => dataOf(apiClient.getCertificateSettings({ params, signal })),
    [offering],
  );
  const save = async (fields: FormData) => {
    const body = {
      issuance: readSelectField<Issuance>(fields, "issuance"),
      valid_for_days: readNumberFieldOrNull(fields, "valid_for_days"),
    };
    settings.set(await dataOf(apiClient.updateCertificateSettings({ params, body })));
  };
  return (
    <section class="card" aria-labelledby="certificate-settings">
      <h2 id="certificate-settings">{t("certificates.settings")}</h2>
      <QueryBoundary of={settings}>
        {({ issuance, valid_for_days }) => (
          <Form send={save} submit={t("save")} done={t("saved")}>
            <div class="fields">
              <SelectField
                name="issuance"
                label={t("certificates.issuance")}
                of={withTranslatedLabels("certificates", ["AUTOMATIC", "BY_STAFF"])}
                chosen={issuance}
              />
              <NumberField
                name="valid_for_days"
                label={t("certificates.days")}
                about={t("certificates.days.about")}
                min={1}
                max={36_500}
                value={valid_for_days}
              />
            </div>
          </Form>
        )}
      </QueryBoundary>
    </section>
  );
}
