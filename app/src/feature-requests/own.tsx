import { dataOf } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { typed } from "../components/form.tsx";
import { NewCard } from "../components/new-card.tsx";
import { Listed, usePaged } from "../components/paged.tsx";
import { WholeAccount } from "../components/whole-account.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { RequestCard } from "./request.tsx";
import { RequestsHead } from "./requests-head.tsx";

export function OwnRequestsScreen() {
  return (
    <>
      <RequestsHead current="" />
      <WholeAccount>
        <OwnRequests />
      </WholeAccount>
    </>
  );
}

function OwnRequests() {
  const requests = usePaged(
    async (query, signal) => (await dataOf(api.listMyFeatureRequests({ params: { query }, signal }))).data,
    [],
  );
  const ask = async (fields: FormData) => {
    const body = { title: typed(fields, "title"), description: typed(fields, "description") };
    await dataOf(api.createFeatureRequest({ body }));
    requests.query.again();
  };
  return (
    <>
      <NewCard
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
      </NewCard>
      <Listed of={requests} empty={t("requests.none")}>
        {(found) => (
          <ul class="stack">
            {found.map((one) => (
              <li key={one.id}>
                <RequestCard request={one} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </>
  );
}
