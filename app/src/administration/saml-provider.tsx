import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { FactList } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { formatDay, formatDayAndTime } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient, apiUrl } from "../service.ts";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";

type Provider = Schemas["UniversityProvider"];
type Saml = NonNullable<Provider["saml"]>;

/** The domains that a provider is trusted for. */
export const ProviderEmailDomains = ({ provider }: { provider: Provider }) => (
  <>
    {provider.email_domains.join(", ") || t("providers.no.domains")}{" "}
    <a href={screenHref("administration", provider.university_id, "domains")}>{t("domains")}</a>
  </>
);

const affiliationsOf = (fields: FormData, name: string): string[] =>
  readTextField(fields, name)
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter(Boolean);

/** The typed settings. Empty fields are left unchanged. */
function given(fields: FormData) {
  const metadata_url = readTextField(fields, "metadata_url");
  const metadata = readTextField(fields, "metadata");
  const issuer = readTextField(fields, "issuer");
  const metadata_certificate = readTextField(fields, "metadata_certificate");
  const roles = [
    ...affiliationsOf(fields, "ta").map((one) => [one, "TA"] as const),
    ...affiliationsOf(fields, "instructor").map((one) => [one, "INSTRUCTOR"] as const),
  ];
  return {
    label: readTextField(fields, "label"),
    signed: readTextField(fields, "signed") as Saml["signed"],
    affiliation_roles: Object.fromEntries(roles),
    ...(metadata ? { metadata } : metadata_url && { metadata_url }),
    ...(issuer && { issuer }),
    ...(metadata_certificate && { metadata_certificate }),
  };
}

type NewProps = { university: number; onChange: () => void };

export function NewSamlProviderForm({ university, onChange }: NewProps) {
  const create = async (fields: FormData) => {
    const body = { kind: "saml" as const, name: readTextField(fields, "name"), ...given(fields) };
    await dataOf(
      apiClient.createUniversityProvider({ params: { path: { university_id: university } }, body }),
    );
    onChange();
  };
  return (
    <LazyDisclosureCard label={t("providers.new.saml")}>
      {() => (
        <Form send={create} submit={t("providers.create")} done={t("saved")} clears>
          <Field name="name" label={t("providers.name")}>
            <input pattern="[a-z0-9\-]+" maxLength={32} required />
          </Field>
          <SamlFields />
        </Form>
      )}
    </LazyDisclosureCard>
  );
}

function SamlFields({ provider, saml }: { provider?: Provider; saml?: Saml }) {
  const affiliations = (role: string) =>
    Object.entries(saml?.affiliation_roles ?? {})
      .flatMap(([name, given]) => (given === role ? name : []))
      .sort()
      .join(", ");
  return (
    <>
      <Field name="label" label={t("providers.label")}>
        <input maxLength={255} defaultValue={provider?.label} required />
      </Field>
      <Field name="metadata_url" label={t("saml.metadata.url")}>
        <input
          type="url"
          maxLength={1000}
          placeholder="https://"
          defaultValue={saml?.metadata_url ?? undefined}
        />
      </Field>
      <Field name="metadata" label={t("saml.metadata")}>
        <textarea rows={3} spellcheck={false} />
      </Field>
      <Field name="issuer" label={t("saml.issuer")}>
        <input maxLength={512} />
      </Field>
      <Field name="metadata_certificate" label={t("saml.certificate.pin")}>
        <textarea rows={2} spellcheck={false} maxLength={10_000} />
      </Field>
      <Field name="signed" label={t("saml.signed")}>
        <select defaultValue={saml?.signed ?? "both"}>
          {(["both", "response", "assertion"] as const).map((one) => (
            <option key={one} value={one}>
              {t(`saml.signed.${one}`)}
            </option>
          ))}
        </select>
      </Field>
      <Field name="instructor" label={t("saml.affiliations.instructor")}>
        <input maxLength={500} defaultValue={affiliations("INSTRUCTOR")} />
      </Field>
      <Field name="ta" label={t("saml.affiliations.ta")}>
        <input maxLength={500} defaultValue={affiliations("TA")} />
      </Field>
    </>
  );
}

type ViewProps = { provider: Provider; saml: Saml; onChange: () => void };

/** A SAML provider: values for its operators, its last metadata, and rejected sign-ins. */
export function ManageSamlProvider({ provider, saml, onChange }: ViewProps) {
  const params = { path: { university_id: provider.university_id, identity_provider_id: provider.id } };
  const address = (what: string) => apiUrl(`/auth/saml/${provider.login_name}/${what}`);
  return (
    <>
      <h2>{provider.label}</h2>
      <FactList
        of={[
          [t("saml.entity"), provider.issuer],
          [t("providers.domains"), <ProviderEmailDomains provider={provider} />],
          [t("saml.metadata.own"), <a href={address("metadata")}>{address("metadata")}</a>],
          [t("saml.entity.own"), <code>{provider.client_id}</code>],
          [t("saml.acs"), <code>{address("acs")}</code>],
          [t("saml.signed"), t(`saml.signed.${saml.signed}`)],
          [t("saml.certificates.end"), saml.certificates.map((one) => formatDay(one.expires_at)).join(", ")],
          [t("saml.metadata.read"), formatDayAndTime(saml.metadata_read_at)],
          [t("saml.metadata.problem"), saml.metadata_problem ?? undefined],
        ]}
      />
      <OwnKeys provider={provider} saml={saml} onChange={onChange} />
      <SeenAttributes seen={saml.seen_attributes} />
      <Refusals of={saml.refusals} />
      <EditOrDeleteForm
        save={(fields) => dataOf(apiClient.updateUniversityProvider({ params, body: given(fields) }))}
        remove={() => dataOf(apiClient.removeUniversityProvider({ params }))}
        sure={t("providers.delete.sure")}
        onChange={onChange}
      >
        <SamlFields provider={provider} saml={saml} />
      </EditOrDeleteForm>
    </>
  );
}

/** The service's own SAML keys and the next step of a key rotation. */
function OwnKeys({ provider, saml, onChange }: ViewProps) {
  const params = { path: { university_id: provider.university_id, identity_provider_id: provider.id } };
  const change = (step: Schemas["OwnKeyStep"]["step"]) => async () => {
    await dataOf(apiClient.changeOwnSamlKey({ params, body: { step } }));
    onChange();
  };
  const isAlone = saml.own_certificates.length === 1;
  return (
    <>
      <h3>{t("saml.keys")}</h3>
      <ul>
        {saml.own_certificates.map(({ fingerprint, expires_at, is_used }) => (
          <li key={fingerprint}>
            {t(is_used ? "saml.keys.used" : "saml.keys.second", { day: formatDay(expires_at) })}{" "}
            <small>{fingerprint.slice(0, 23)}…</small>
          </li>
        ))}
      </ul>
      <LazyDisclosure label={t("saml.keys.change")}>
        {() => (
          <>
            <p class="quiet">{t("saml.keys.about")}</p>
            <div class="row">
              {isAlone ? (
                <ActionButton run={change("ADD")}>{t("saml.keys.add")}</ActionButton>
              ) : (
                <>
                  <ActionButton run={change("SWITCH")}>{t("saml.keys.switch")}</ActionButton>
                  <ActionButton run={change("REMOVE")}>{t("saml.keys.remove")}</ActionButton>
                </>
              )}
            </div>
          </>
        )}
      </LazyDisclosure>
    </>
  );
}

const SeenAttributes = ({ seen }: { seen: Saml["seen_attributes"] }) => (
  <>
    <h3>{t("saml.attributes")}</h3>
    {seen ? (
      <ul>
        <li>
          {seen.name_id_format ? t("saml.name.id", { format: seen.name_id_format }) : t("saml.name.id.none")}
        </li>
        {seen.attributes.map(({ name, values, scopes }) => (
          <li key={name}>
            {t("saml.attributes.values", { name, count: values })}
            {scopes.length > 0 && ` (@${scopes.join(", @")})`}
          </li>
        ))}
      </ul>
    ) : (
      <p class="quiet">{t("saml.attributes.none")}</p>
    )}
  </>
);

const Refusals = ({ of }: { of: Saml["refusals"] }) => (
  <>
    <h3>{t("saml.refusals")}</h3>
    {of.length > 0 ? (
      <ul>
        {of.map(({ reason, detail, times, last_at, for_operators }) => (
          <li key={reason}>
            {t("saml.refused", { reason, times, moment: formatDayAndTime(last_at) })}
            {/* In English, for the provider's operators. */}
            <p class="quiet" lang="en">
              {for_operators} {detail && `(${detail})`}
            </p>
          </li>
        ))}
      </ul>
    ) : (
      <p class="quiet">{t("saml.refusals.none")}</p>
    )}
  </>
);
