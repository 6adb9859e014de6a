import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { Notice } from "../components/notice.tsx";
import { formatDay, formatNumber } from "../format.ts";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { UniversityOrPlatformAdministrationLayout } from "./university-layout.tsx";

type Status = Schemas["CloudCredentialsStatus"];
type Scope = { params: { query: { university_id?: number } } };

/** LLM credentials of a university or the platform. Secrets are never shown. */
export function LlmCredentialsScreen({ university }: { university?: string }) {
  const scope: Scope = { params: { query: university ? { university_id: Number(university) } : {} } };
  const status = useQuery(
    (signal) => dataOf(apiClient.getCloudCredentialsStatus({ ...scope, signal })),
    [university],
  );
  return (
    <UniversityOrPlatformAdministrationLayout
      university={university}
      part="credentials"
      title={t("credentials")}
    >
      <p class="quiet">{t("credentials.about")}</p>
      <QueryBoundary of={status}>
        {(found) => <InUse found={found} scope={scope} status={status} />}
      </QueryBoundary>
      <Keys scope={scope} onStored={status.set} />
    </UniversityOrPlatformAdministrationLayout>
  );
}

type InUseProps = { found: Status; scope: Scope; status: QueryHookResult<Status> };

function InUse({ found, scope, status }: InUseProps) {
  const [tested, setTested] = useState<Schemas["CloudConnectionTest"]>();
  const isOwn =
    found.source === "stored" && found.university_id === (scope.params.query.university_id ?? null);
  const remove = async () => {
    if (!confirm(t("credentials.delete.sure"))) return;
    await dataOf(apiClient.deleteCloudCredentials(scope));
    setTested(undefined);
    status.again();
  };
  return (
    <section class="card" aria-labelledby="in-use">
      <h2 id="in-use">{t("credentials.in.use")}</h2>
      <dl class="facts">
        <div>
          <dt>{t("credentials.source")}</dt>
          <dd>{t(isOwn ? "credentials.own" : `credentials.${found.source}`)}</dd>
        </div>
        {found.access_key_id_last4 && (
          <div>
            <dt>{t("credentials.key.id")}</dt>
            <dd>…{found.access_key_id_last4}</dd>
          </div>
        )}
        {found.updated_at && (
          <div>
            <dt>{t("credentials.stored.at")}</dt>
            <dd>{formatDay(found.updated_at)}</dd>
          </div>
        )}
      </dl>
      <div class="row">
        <ActionButton run={async () => setTested(await dataOf(apiClient.testCloudCredentials(scope)))}>
          {t("credentials.test")}
        </ActionButton>
        {isOwn && (
          <ActionButton class="quiet" run={remove}>
            {t("delete")}
          </ActionButton>
        )}
      </div>
      {tested && (
        <Notice kind={tested.success ? "good" : "error"}>
          {tested.success
            ? t("credentials.works", { model: tested.model, ms: formatNumber(tested.latency_ms) })
            : t("credentials.fails", { model: tested.model, error: tested.error ?? "" })}
        </Notice>
      )}
    </section>
  );
}

type KeysProps = { scope: Scope; onStored: (status: Status) => void };

function Keys({ scope, onStored }: KeysProps) {
  const send = async (fields: FormData) => {
    const cloud_session_token = readTextField(fields, "cloud_session_token");
    const body = {
      cloud_access_key_id: readTextField(fields, "cloud_access_key_id"),
      cloud_secret_access_key: readTextField(fields, "cloud_secret_access_key"),
      ...(cloud_session_token && { cloud_session_token }),
    };
    onStored(await dataOf(apiClient.storeCloudCredentials({ ...scope, body })));
  };
  return (
    <NewEntryCard id="keys" title={t("credentials.store")} submit={t("credentials.store")} send={send}>
      <p class="quiet">{t("credentials.store.about")}</p>
      <Field name="cloud_access_key_id" label={t("credentials.key.id")}>
        <input maxLength={128} autocomplete="off" required />
      </Field>
      <Field name="cloud_secret_access_key" label={t("credentials.secret")}>
        <input type="password" maxLength={1024} autocomplete="off" required />
      </Field>
      <Field name="cloud_session_token" label={t("credentials.session.token")}>
        <input type="password" maxLength={16384} autocomplete="off" />
      </Field>
    </NewEntryCard>
  );
}
