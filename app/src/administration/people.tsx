import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { PagedLineList } from "../components/listed-lines.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { Avatar } from "../files/avatar.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { roleFilterOptions } from "./role-fields.tsx";
import { administersWholeUniversity, type Role } from "./scope.ts";
import { UniversityLayout } from "./university-screen.tsx";

type User = Schemas["UserWithMemberships"];

/** Finds people of a university by name or address, and deactivates accounts. */
export function PeopleScreen({ university }: { university: string }) {
  const [q, search] = useState("");
  const [role, setRole] = useState<Role | "">("");
  const [active, setActive] = useState<"" | "true" | "false">("");
  const [sort, order] = useState<"full_name" | "family_name" | "external_id">("full_name");
  const filters = {
    university_id: Number(university),
    sort,
    ...(q && { q }),
    ...(role && { role }),
    ...(active && { is_active: active === "true" }),
  } as const;
  const people = usePagedQuery(
    (part, signal) => dataOf(apiClient.listUsers({ params: { query: { ...part, ...filters } }, signal })),
    [filters],
  );
  return (
    <UniversityLayout university={university} part="people" title={t("people")}>
      <SearchForm label={t("roster.search.number")} onSearch={search}>
        <LabeledSelect
          label={t("invite.role")}
          value={role}
          options={roleFilterOptions()}
          onChoose={setRole}
        />
        <LabeledSelect
          label={t("people.account")}
          value={active}
          options={[
            ["", t("any")],
            ["true", t("people.active")],
            ["false", t("people.inactive")],
          ]}
          onChoose={setActive}
        />
        <LabeledSelect
          label={t("roster.order")}
          value={sort}
          options={[
            ["full_name", t("roster.by.name")],
            ["family_name", t("roster.by.family")],
            ["external_id", t("roster.by.external")],
          ]}
          onChoose={order}
        />
        <button type="submit">{t("search")}</button>
      </SearchForm>
      <PagedLineList of={people} empty={t("people.empty")}>
        {(one) => <PersonLine user={one} university={Number(university)} onChange={people.query.again} />}
      </PagedLineList>
    </UniversityLayout>
  );
}

type LineProps = { user: User; university: number; onChange: () => void };

function PersonLine({ user, university, onChange }: LineProps) {
  const person = useCurrentUser();
  const { id, full_name, email, is_active } = user;
  const here = user.memberships.find(({ university_id }) => university_id === university);
  const isSuspended = here?.is_active === false;
  const turn = async () => {
    if (is_active && !confirm(t("people.deactivate.sure", { name: full_name }))) return;
    await dataOf(
      apiClient.setUserActive({ params: { path: { user_id: id } }, body: { is_active: !is_active } }),
    );
    onChange();
  };
  const turnHere = async () => {
    if (!isSuspended && !confirm(t("people.suspend.sure", { name: full_name }))) return;
    const params = { path: { university_id: university, user_id: id } };
    await dataOf(apiClient.setUniversityMemberActive({ params, body: { is_active: isSuspended } }));
    onChange();
  };
  return (
    <li>
      <span class="named">
        <Avatar url={user.avatar_url} name={full_name} />
        <span>
          <strong>{full_name}</strong> <small>{email}</small>
          {here?.external_id && <small> {here.external_id}</small>}
        </span>
      </span>
      <span class="row">
        {!is_active && <span class="badge dropped">{t("people.inactive")}</span>}
        {isSuspended && <span class="badge dropped">{t("people.suspended")}</span>}
        <small>{t("since", { day: formatDay(user.created_at) })}</small>
        <a
          href={`${screenHref("administration", university, "roles")}?${new URLSearchParams({ email: email ?? "", user: String(id) })}`}
        >
          {t("roles.grant")}
        </a>
        {administersWholeUniversity(person, university) && (
          <>
            <a href={`${screenHref("administration", university, "audit")}?user=${id}`}>{t("audit")}</a>
            {id !== person.profile.id && here && (
              <ActionButton class="quiet" run={turnHere}>
                {t(isSuspended ? "people.restore" : "people.suspend")}
              </ActionButton>
            )}
            {id !== person.profile.id && isPlatformAdmin(person) && (
              <ActionButton class="quiet" run={turn}>
                {t(is_active ? "people.deactivate" : "people.reactivate")}
              </ActionButton>
            )}
          </>
        )}
      </span>
    </li>
  );
}
