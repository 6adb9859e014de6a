import { dataOf, type Schemas } from "learning-platform-client";
import { FactList } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient, apiUrl } from "../service.ts";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { ManageSamlProvider, NewSamlProviderForm, ProviderEmailDomains } from "./saml-provider.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Provider = Schemas["UniversityProvider"];

export function IdentityProvidersScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  // The endpoint is not paginated.
  const providers = usePagedQuery(
    async ({ skip, limit }, signal) =>
      (await dataOf(apiClient.listUniversityProviders({ params: { path }, signal }))).slice(
        skip,
        skip + limit,
      ),
    [university],
  );
  const create = async (fields: FormData) => {
    const body = {
      name: readTextField(fields, "name"),
      client_secret: readTextField(fields, "client_secret"),
      ...changeOf(fields),
    };
    await dataOf(apiClient.createUniversityProvider({ params: { path }, body }));
    providers.query.again();
  };
  const link = `${location.origin}${location.pathname}?university=${university}`;
  return (
    <UniversityAdministrationLayout university={university} part="identity-providers" title={t("providers")}>
      <p class="quiet">
        {t("providers.about")} <a href={link}>{link}</a>
      </p>
      <PagedCardList of={providers} empty={t("providers.empty")}>
        {(one) =>
          one.saml ? (
            <ManageSamlProvider provider={one} saml={one.saml} onChange={providers.query.again} />
          ) : (
            <ProviderView provider={one} onChange={providers.query.again} />
          )
        }
      </PagedCardList>
      <NewEntryCard id="new-provider" title={t("providers.new")} submit={t("providers.create")} send={create}>
        <Field name="name" label={t("providers.name")}>
          <input pattern="[a-z0-9\-]+" maxLength={64} required />
        </Field>
        <ProviderFields />
        <Field name="client_secret" label={t("providers.secret")}>
          <input type="password" autocomplete="off" maxLength={1000} required />
        </Field>
      </NewEntryCard>
      <NewSamlProviderForm university={path.university_id} onChange={providers.query.again} />
    </UniversityAdministrationLayout>
  );
}

const changeOf = (fields: FormData) => ({
  label: readTextField(fields, "label"),
  issuer: readTextField(fields, "issuer"),
  client_id: readTextField(fields, "client_id"),
});

function ProviderFields({ provider }: { provider?: Provider }) {
  return (
    <>
      <Field name="label" label={t("providers.label")}>
        <input maxLength={255} defaultValue={provider?.label} required />
      </Field>
      <Field name="issuer" label={t("providers.issuer")}>
        <input type="url" maxLength={512} placeholder="https://" defaultValue={provider?.issuer} required />
      </Field>
      <Field name="client_id" label={t("providers.client")}>
        <input maxLength={255} defaultValue={provider?.client_id} required />
      </Field>
    </>
  );
}

function ProviderView({ provider, onChange }: { provider: Provider; onChange: () => void }) {
  const params = { path: { university_id: provider.university_id, identity_provider_id: provider.id } };
  const save = (fields: FormData) => {
    const client_secret = readTextField(fields, "client_secret");
    const body = { ...changeOf(fields), ...(client_secret && { client_secret }) };
    return dataOf(apiClient.updateUniversityProvider({ params, body }));
  };
  return (
    <>
      <h2>{provider.label}</h2>
      <FactList
        of={[
          [t("providers.issuer"), provider.issuer],
          [t("providers.domains"), <ProviderEmailDomains provider={provider} />],
          [t("providers.callback"), <code>{apiUrl(`/auth/oidc/${provider.login_name}/callback`)}</code>],
        ]}
      />
      <EditOrDeleteForm
        save={save}
        remove={() => dataOf(apiClient.removeUniversityProvider({ params }))}
        sure={t("providers.delete.sure")}
        onChange={onChange}
      >
        <ProviderFields provider={provider} />
        <Field name="client_secret" label={t("providers.new.secret")}>
          <input type="password" autocomplete="off" maxLength={1000} />
        </Field>
      </EditOrDeleteForm>
    </>
  );
}
