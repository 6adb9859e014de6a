import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

/** The email domains of a university. Only the platform grants or revokes them. */
export function EmailDomainsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const mayGrant = isPlatformAdmin(useCurrentUser());
  const domains = usePagedQuery(
    (query, signal) => dataOf(apiClient.listUniversityDomains({ params: { path, query }, signal })),
    [university],
  );
  const grant = async (fields: FormData) => {
    await dataOf(
      apiClient.addUniversityDomain({ params: { path }, body: { domain: readTextField(fields, "domain") } }),
    );
    domains.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="domains" title={t("domains")}>
      <p class="quiet">
        {t("domains.about")}{" "}
        <a href={screenHref("administration", university, "identity-providers")}>{t("providers")}</a>
      </p>
      <PagedCardList of={domains} empty={t("domains.empty")}>
        {(one) => <DomainView domain={one} mayRemove={mayGrant} onChange={domains.query.again} />}
      </PagedCardList>
      {mayGrant && (
        <NewEntryCard id="new-domain" title={t("domains.new")} submit={t("domains.grant")} send={grant}>
          <Field name="domain" label={t("domains.domain")} about={t("domains.domain.about")}>
            <input
              maxLength={255}
              autocapitalize="none"
              spellcheck={false}
              placeholder="example.edu"
              required
            />
          </Field>
        </NewEntryCard>
      )}
    </UniversityAdministrationLayout>
  );
}

type ViewProps = { domain: Schemas["UniversityDomain"]; mayRemove: boolean; onChange: () => void };

function DomainView({ domain: { id, university_id, domain, created_at }, mayRemove, onChange }: ViewProps) {
  const params = { path: { university_id, university_domain_id: id } };
  const remove = async () => {
    if (!confirm(t("domains.remove.sure", { domain }))) return;
    await dataOf(apiClient.removeUniversityDomain({ params }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{domain}</strong>
        <span class="quiet">{t("domains.since", { when: formatDay(created_at) })}</span>
      </div>
      {mayRemove && (
        <ActionButton class="quiet" label={t("domains.remove.one", { domain })} run={remove}>
          {t("domains.remove")}
        </ActionButton>
      )}
    </>
  );
}
