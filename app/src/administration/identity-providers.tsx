import { dataOf, type Schemas } from "learning-platform-client";
import { Form, typed } from "../parts/form.tsx";
import { usePaged } from "../parts/paged.tsx";
import { addressOf, api } from "../service.ts";
import { isPlatformAdmin, usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { linesOf } from "../work/lines.ts";
import { EditableList, Editing } from "./editable.tsx";
import { UniversityScreen } from "./university-screen.tsx";

type Provider = Schemas["UniversityProvider"];

/** The identity providers that a university brings itself. */
export function IdentityProvidersScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  // The service answers all of them at once.
  const providers = usePaged(
    async ({ skip, limit }, signal) =>
      (await dataOf(api.listUniversityProviders({ params: { path }, signal }))).slice(skip, skip + limit),
    [university],
  );
  const create = (fields: FormData) => {
    const body = {
      name: typed(fields, "name"),
      client_secret: typed(fields, "client_secret"),
      ...changeOf(fields),
    };
    return dataOf(api.createUniversityProvider({ params: { path }, body }));
  };
  const link = `${location.origin}${location.pathname}?university=${university}`;
  return (
    <UniversityScreen university={university} part="identity-providers" title={t("providers")}>
      <p class="quiet">
        {t("providers.about")} <a href={link}>{link}</a>
      </p>
      <EditableList
        of={providers}
        empty={t("providers.empty")}
        view={(one) => <ProviderView provider={one} onChange={providers.reading.again} />}
        fresh={{ title: t("providers.new"), submit: t("providers.create"), send: create }}
      >
        <label>
          {t("providers.name")}
          <input name="name" pattern="[a-z0-9\-]+" maxLength={64} required />
        </label>
        <ProviderFields />
        <label>
          {t("providers.secret")}
          <input type="password" name="client_secret" autocomplete="off" maxLength={1000} required />
        </label>
      </EditableList>
    </UniversityScreen>
  );
}

const changeOf = (fields: FormData) => ({
  label: typed(fields, "label"),
  issuer: typed(fields, "issuer"),
  client_id: typed(fields, "client_id"),
});

function ProviderFields({ provider }: { provider?: Provider }) {
  return (
    <>
      <label>
        {t("providers.label")}
        <input name="label" maxLength={255} defaultValue={provider?.label} required />
      </label>
      <label>
        {t("providers.issuer")}
        <input
          type="url"
          name="issuer"
          maxLength={512}
          placeholder="https://"
          defaultValue={provider?.issuer}
          required
        />
      </label>
      <label>
        {t("providers.client")}
        <input name="client_id" maxLength={255} defaultValue={provider?.client_id} required />
      </label>
    </>
  );
}

function ProviderView({ provider, onChange }: { provider: Provider; onChange: () => void }) {
  const person = usePerson();
  const params = { path: { university_id: provider.university_id, identity_provider_id: provider.id } };
  const save = (fields: FormData) => {
    const client_secret = typed(fields, "client_secret");
    const body = { ...changeOf(fields), ...(client_secret && { client_secret }) };
    return dataOf(api.updateUniversityProvider({ params, body }));
  };
  const grant = async (fields: FormData) => {
    const body = { email_domains: linesOf(typed(fields, "domains")) };
    await dataOf(api.grantProviderDomains({ params, body }));
    onChange();
  };
  return (
    <>
      <h2>{provider.label}</h2>
      <dl class="facts">
        <div>
          <dt>{t("providers.issuer")}</dt>
          <dd>{provider.issuer}</dd>
        </div>
        <div>
          <dt>{t("providers.domains")}</dt>
          <dd>{provider.email_domains.join(", ") || t("providers.no.domains")}</dd>
        </div>
        <div>
          <dt>{t("providers.callback")}</dt>
          <dd>
            <code>{addressOf(`/auth/oidc/${provider.login_name}/callback`)}</code>
          </dd>
        </div>
      </dl>
      <Editing
        save={save}
        remove={() => dataOf(api.removeUniversityProvider({ params }))}
        sure={t("providers.delete.sure")}
        onChange={onChange}
        also={
          isPlatformAdmin(person) && (
            <Form send={grant} submit={t("providers.grant")}>
              <label>
                {t("providers.domains.each")}
                <textarea name="domains" rows={3} defaultValue={provider.email_domains.join("\n")} />
              </label>
            </Form>
          )
        }
      >
        <ProviderFields provider={provider} />
        <label>
          {t("providers.new.secret")}
          <input type="password" name="client_secret" autocomplete="off" maxLength={1000} />
        </label>
      </Editing>
    </>
  );
}
