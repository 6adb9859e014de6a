import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { Avatar } from "../files/avatar.tsx";
import { formatDay } from "../format.ts";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { DeactivatedOrSuspendedBadges } from "./deactivated-badges.tsx";
import { roleFilterOptions } from "./role-fields.tsx";
import type { UserRoleName } from "./scope.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type User = Schemas["UserWithMemberships"];

/** Finds people of a university by name, address or number. `?q=` in the address fills the search. */
export function PeopleScreen({ university }: { university: string }) {
  const [q, search] = useState(() => fragmentParameter(location.hash, "q"));
  const [role, setRole] = useState<UserRoleName | "">("");
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
    <UniversityAdministrationLayout university={university} part="people" title={t("people")}>
      <SearchForm label={t("roster.search.number")} onSearch={search} words={q}>
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
      </SearchForm>
      <PagedLineList of={people} empty={t("people.empty")}>
        {(one) => <PersonLine user={one} university={Number(university)} />}
      </PagedLineList>
    </UniversityAdministrationLayout>
  );
}

function PersonLine({ user, university }: { user: User; university: number }) {
  const here = user.memberships.find(({ university_id }) => university_id === university);
  return (
    <li>
      <span class="named">
        <Avatar url={user.avatar_url} name={user.full_name} />
        <span>
          <a href={screenHref("administration", university, "people", user.id)}>{user.full_name}</a>{" "}
          <small>{user.email}</small>
          {here?.external_id && <small> {here.external_id}</small>}
        </span>
      </span>
      <span class="row">
        <DeactivatedOrSuspendedBadges user={user} university={university} />
        <small>{t("since", { day: formatDay(user.created_at) })}</small>
      </span>
    </li>
  );
}
