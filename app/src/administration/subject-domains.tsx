import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { PlatformReferenceListLayout } from "./platform-reference-list-layout.tsx";

type Domain = Schemas["Domain"];

export function SubjectDomainsScreen() {
  const domains = usePagedQuery(
    (part, signal) => dataOf(apiClient.listDomains({ params: { query: { ...part, sort: "name" } }, signal })),
    [],
  );
  const create = async (fields: FormData) => {
    await dataOf(apiClient.createDomain({ body: domainOf(fields) }));
    domains.query.again();
  };
  return (
    <PlatformReferenceListLayout
      part="subject-domains"
      title={t("subject.domains")}
      about={t("subject.domains.about")}
    >
      <PagedCardList of={domains} empty={t("subject.domains.empty")}>
        {(domain) => <DomainView domain={domain} onChange={domains.query.again} />}
      </PagedCardList>
      <NewEntryCard
        id="new-domain"
        title={t("subject.domains.new")}
        submit={t("subject.domains.create")}
        send={create}
      >
        <DomainFields />
      </NewEntryCard>
    </PlatformReferenceListLayout>
  );
}

const domainOf = (fields: FormData): Schemas["DomainCreate"] => ({
  name: readTextField(fields, "name"),
  code: readTextField(fields, "code"),
  description: readTextFieldOrNull(fields, "description"),
});

const DomainFields = ({ domain }: { domain?: Domain }) => (
  <>
    <div class="fields">
      <Field name="name" label={t("name")}>
        <input maxLength={255} defaultValue={domain?.name} required />
      </Field>
      <Field name="code" label={t("reference.code")}>
        <input maxLength={64} defaultValue={domain?.code} required />
      </Field>
    </div>
    <Field name="description" label={t("description")}>
      <textarea rows={2} maxLength={20_000} defaultValue={domain?.description ?? ""} />
    </Field>
  </>
);

function DomainView({ domain, onChange }: { domain: Domain; onChange: () => void }) {
  const params = { path: { domain_id: domain.id } };
  return (
    <>
      <div class="line-head">
        <strong>{domain.name}</strong>
        <span class="quiet">{domain.code}</span>
      </div>
      {domain.description && <p class="quiet">{domain.description}</p>}
      <EditOrDeleteForm
        of={domain.name}
        save={(fields) => dataOf(apiClient.updateDomain({ params, body: domainOf(fields) }))}
        remove={() => dataOf(apiClient.deleteDomain({ params }))}
        sure={t("subject.domains.delete.sure", { name: domain.name })}
        onChange={onChange}
      >
        <DomainFields domain={domain} />
      </EditOrDeleteForm>
    </>
  );
}
