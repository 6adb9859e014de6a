import { dataOf } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { WholeAccountSignInOnly } from "../components/whole-account-only.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { FeatureRequestsHeadingAndTabs } from "./heading-and-tabs.tsx";
import { FeatureRequestCard } from "./request.tsx";

export function OwnFeatureRequestsScreen() {
  return (
    <>
      <FeatureRequestsHeadingAndTabs current="" />
      <WholeAccountSignInOnly>
        <OwnRequests />
      </WholeAccountSignInOnly>
    </>
  );
}

function OwnRequests() {
  const requests = usePagedQuery(
    async (query, signal) =>
      (await dataOf(apiClient.listMyFeatureRequests({ params: { query }, signal }))).data,
    [],
  );
  const ask = async (fields: FormData) => {
    const body = { title: readTextField(fields, "title"), description: readTextField(fields, "description") };
    await dataOf(apiClient.createFeatureRequest({ body }));
    requests.query.again();
  };
  return (
    <>
      <NewEntryCard
        id="ask"
        title={t("requests.ask")}
        submit={t("requests.send")}
        send={ask}
        done={t("requests.sent")}
        draft="feature request"
      >
        <Field name="title" label={t("title")}>
          <input maxLength={255} required />
        </Field>
        <Field name="description" label={t("requests.description")}>
          <textarea rows={4} maxLength={32000} required />
        </Field>
      </NewEntryCard>
      <PagedList of={requests} empty={t("requests.none")}>
        {(found) => (
          <ul class="stack">
            {found.map((one) => (
              <li key={one.id}>
                <FeatureRequestCard request={one} />
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}
