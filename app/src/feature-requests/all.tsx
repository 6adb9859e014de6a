import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { FeatureRequestsHeadingAndTabs } from "./heading-and-tabs.tsx";
import { FeatureRequestCard, featureRequestStatuses } from "./request.tsx";

type Request = Schemas["FeatureRequestOfUser"];
type Status = Request["status"];

export function AllFeatureRequestsScreen() {
  const [status, setStatus] = useState<Status | "">("");
  const requests = usePagedQuery(
    async (part, signal) => {
      const query = { ...part, ...(status && { status }) };
      return (await dataOf(apiClient.listFeatureRequests({ params: { query }, signal }))).data;
    },
    [status],
  );
  return (
    <>
      <FeatureRequestsHeadingAndTabs current="all" />
      <div class="filters">
        <LabeledSelect
          label={t("requests.status")}
          value={status}
          options={[["", t("any")], ...withTranslatedLabels("request", featureRequestStatuses)]}
          onChoose={setStatus}
        />
      </div>
      <PagedList of={requests} empty={t("requests.all.none")}>
        {(found) => (
          <ul class="stack">
            {found.map((one) => (
              <li key={one.id}>
                <FeatureRequestCard request={one} by={one.user_name ?? t("someone")}>
                  <Answer request={one} onAnswered={requests.query.again} />
                </FeatureRequestCard>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function Answer({ request, onAnswered }: { request: Request; onAnswered: () => void }) {
  const params = { path: { feature_request_id: request.id } };
  const send = async (fields: FormData) => {
    const body = {
      status: String(fields.get("status")) as Status,
      admin_notes: readTextField(fields, "admin_notes") || null,
    };
    await dataOf(apiClient.updateFeatureRequest({ params, body }));
    onAnswered();
  };
  return (
    <details>
      <summary>{t("requests.to.answer")}</summary>
      <Form send={send} submit={t("save")} done={t("saved")}>
        <Field name="status" label={t("requests.status")}>
          <select>
            {featureRequestStatuses.map((one) => (
              <option key={one} value={one} selected={one === request.status}>
                {t(`request.${one}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field name="admin_notes" label={t("requests.answer")}>
          <textarea rows={3} maxLength={32000} defaultValue={request.admin_notes ?? ""} />
        </Field>
      </Form>
    </details>
  );
}
