import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { UniversityAdministrationLayout } from "../administration/university-layout.tsx";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { LmsIdentitiesList, LtiDeploymentsList, RefusedLaunchesList } from "./platform-details.tsx";

type Platform = Schemas["LtiPlatform"];

export function LtiPlatformsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const [link, setLink] = useState("");
  const platforms = usePagedQuery(
    (query, signal) => dataOf(apiClient.listLtiPlatforms({ params: { path, query }, signal })),
    [university],
  );
  const open = async () =>
    setLink((await dataOf(apiClient.openLtiRegistration({ params: { path } }))).registration_url);
  const create = async (fields: FormData) => {
    const given = Object.fromEntries(fieldNames.map((name) => [name, readTextField(fields, name)]));
    const body = { ...(given as Record<(typeof fieldNames)[number], string>), ...untrusted };
    await dataOf(apiClient.createLtiPlatform({ params: { path }, body }));
    platforms.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="lti" title={t("lti")}>
      <p class="quiet">{t("lti.about")}</p>
      <PagedCardList of={platforms} empty={t("lti.empty")}>
        {(one) => <PlatformView platform={one} onChange={platforms.query.again} />}
      </PagedCardList>
      <section class="card">
        <h2>{t("lti.register")}</h2>
        <p class="quiet">{t("lti.register.about")}</p>
        <ActionButton run={open}>{t("lti.register.make")}</ActionButton>
        {link && (
          <p role="status">
            <code>{link}</code>
          </p>
        )}
      </section>
      <NewEntryCard id="new-platform" title={t("lti.new")} submit={t("lti.create")} send={create}>
        {fieldNames.map((name) => (
          <Field key={name} name={name} label={t(`lti.${name}`)}>
            <input maxLength={1000} autocapitalize="none" spellcheck={false} required />
          </Field>
        ))}
      </NewEntryCard>
    </UniversityAdministrationLayout>
  );
}

/** Trust settings start empty and are edited later. */
const untrusted = {
  frame_origins: [],
  staff_by_institution_role: false,
  trusts_email: false,
  trusts_sourced_id: false,
};

const fieldNames = ["name", "issuer", "client_id", "auth_login_url", "auth_token_url", "jwks_url"] as const;

function PlatformView({ platform, onChange }: { platform: Platform; onChange: () => void }) {
  const { id, university_id, name, issuer, client_id, waiting_deployments, created_at } = platform;
  const path = { university_id, lti_platform_id: id };
  const remove = async () => {
    if (!confirm(t("lti.remove.sure", { name }))) return;
    await dataOf(apiClient.removeLtiPlatform({ params: { path } }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{t("lti.since", { when: formatDay(created_at) })}</span>
      </div>
      <p class="quiet">
        {issuer} · {client_id}
      </p>
      {waiting_deployments > 0 && <p>{t("lti.waiting", { n: waiting_deployments })}</p>}
      <LazyDisclosure label={t("lti.deployments.of", { name })}>
        {() => <LtiDeploymentsList path={path} onChange={onChange} />}
      </LazyDisclosure>
      <LazyDisclosure label={t("lti.people.of", { name })}>
        {() => <LmsIdentitiesList path={path} />}
      </LazyDisclosure>
      <LazyDisclosure label={t("lti.refused.of", { name })}>
        {() => <RefusedLaunchesList path={path} />}
      </LazyDisclosure>
      <ActionButton class="quiet" label={t("lti.remove.one", { name })} run={remove}>
        {t("lti.remove")}
      </ActionButton>
    </>
  );
}
