import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { CheckboxField, Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Key = Schemas["ApiKey"];

/** A record, so a missing scope is a type error. */
const known: Record<Key["scopes"][number], true> = {
  "people:read": true,
  "people:write": true,
  "enrollments:write": true,
  "grades:read": true,
  "events:read": true,
  "reports:read": true,
  scim: true,
};

const scopes = Object.keys(known) as Key["scopes"];

/** API keys of a university. A key's secret is shown once, when it is created. */
export function ApiKeysScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const [made, setMade] = useState("");
  const keys = usePagedQuery(
    (query, signal) => dataOf(apiClient.listApiKeys({ params: { path, query }, signal })),
    [university],
  );
  const create = async (fields: FormData) => {
    const body = {
      name: readTextField(fields, "name"),
      scopes: scopes.filter((scope) => fields.get(scope) !== null),
      // The end of that day in the local time zone.
      expires_at: new Date(`${readTextField(fields, "expires_at")}T23:59:59`).toISOString(),
    };
    setMade((await dataOf(apiClient.createApiKey({ params: { path }, body }))).key);
    keys.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="api-keys" title={t("keys")}>
      <p class="quiet">{t("keys.about")}</p>
      {made && (
        <div class="card" role="status">
          <label>
            {t("keys.made")}
            <input readOnly value={made} onFocus={(event) => event.currentTarget.select()} />
          </label>
        </div>
      )}
      <PagedCardList of={keys} empty={t("keys.empty")}>
        {(one) => <KeyView apiKey={one} onChange={keys.query.again} />}
      </PagedCardList>
      <NewEntryCard id="new-key" title={t("keys.new")} submit={t("keys.create")} send={create}>
        <Field name="name" label={t("keys.name")} about={t("keys.name.about")}>
          <input maxLength={255} required />
        </Field>
        <fieldset>
          <legend>{t("keys.scopes")}</legend>
          {scopes.map((scope) => (
            <CheckboxField key={scope} name={scope} label={t(`keys.scope.${scope}`)}>
              <input type="checkbox" />
            </CheckboxField>
          ))}
        </fieldset>
        <Field name="expires_at" label={t("keys.expires")}>
          <input type="date" required />
        </Field>
      </NewEntryCard>
    </UniversityAdministrationLayout>
  );
}

function KeyView({ apiKey, onChange }: { apiKey: Key; onChange: () => void }) {
  const { id, university_id, name, maker, last_used_on, revoked_at } = apiKey;
  const params = { path: { university_id, api_key_id: id } };
  const adopt = async () => {
    await dataOf(apiClient.adoptApiKey({ params }));
    onChange();
  };
  const revoke = async () => {
    if (!confirm(t("keys.revoke.sure", { name }))) return;
    await dataOf(apiClient.revokeApiKey({ params }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{stateOf(apiKey)}</span>
      </div>
      <p>{apiKey.scopes.map((scope) => t(`keys.scope.${scope}`)).join(" · ")}</p>
      <p class="quiet">
        {t("keys.maker", { name: maker.full_name })} ·{" "}
        {last_used_on ? t("keys.used", { day: formatDay(last_used_on) }) : t("keys.unused")}
      </p>
      {!revoked_at && (
        <div class="row">
          <ActionButton class="quiet" label={t("keys.adopt.one", { name })} run={adopt}>
            {t("keys.adopt")}
          </ActionButton>
          <ActionButton class="quiet" label={t("keys.revoke.one", { name })} run={revoke}>
            {t("keys.revoke")}
          </ActionButton>
        </div>
      )}
    </>
  );
}

function stateOf({ is_valid, revoked_at, expires_at }: Key): string {
  if (revoked_at) return t("keys.revoked", { day: formatDay(revoked_at) });
  if (new Date(expires_at) <= new Date()) return t("keys.expired", { day: formatDay(expires_at) });
  return t(is_valid ? "keys.valid" : "keys.orphaned", { day: formatDay(expires_at) });
}
