import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { formatDay } from "../format.ts";
import { fragmentParameter } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { RoleGrantFields, readRoleGrantFields, roleFilterOptions } from "./role-fields.tsx";
import { canGrantOrRevokeRole, type UserRoleName } from "./scope.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";
import { type DepartmentsQuery, useDepartments } from "./use-departments.ts";

type Role = Schemas["Role"];

/** Role assignments of a university. `?email=&user=` in the address preselects the person. */
export function RoleAssignmentsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const [q, search] = useState("");
  const [role, setRole] = useState<UserRoleName | "">("");
  const filters = { sort: "full_name", ...(q && { q }), ...(role && { role }) } as const;
  const roles = usePagedQuery(
    (part, signal) =>
      dataOf(apiClient.listUniversityRoles({ params: { path, query: { ...part, ...filters } }, signal })),
    [university, filters],
  );
  const departments = useDepartments(path.university_id);
  const nameOf = (id: number) => departments.value?.find((one) => one.id === id)?.name;
  return (
    <UniversityAdministrationLayout university={university} part="roles" title={t("roles")}>
      <Grant university={path.university_id} departments={departments} onGranted={roles.query.again} />
      <SearchForm label={t("roster.search")} onSearch={search}>
        <LabeledSelect
          label={t("invite.role")}
          value={role}
          options={roleFilterOptions()}
          onChoose={setRole}
        />
      </SearchForm>
      <PagedLineList of={roles} empty={t("roles.empty")}>
        {(one) => (
          <RoleAssignmentLine
            held={one}
            department={one.department_id === null ? undefined : nameOf(one.department_id)}
            onChange={roles.query.again}
          />
        )}
      </PagedLineList>
    </UniversityAdministrationLayout>
  );
}

type GrantProps = { university: number; departments: DepartmentsQuery; onGranted: () => void };

function Grant({ university, departments, onGranted }: GrantProps) {
  const params = { path: { university_id: university } };
  const email = fragmentParameter(location.hash, "email");
  const user = fragmentParameter(location.hash, "user");
  const [granted, setGranted] = useState("");
  const send = async (fields: FormData) => {
    const { email: typed, ...role } = readRoleGrantFields(fields);
    // Use the id if the person was picked from a list: the address may be unconfirmed.
    const whom = user && typed === email ? { user_id: Number(user) } : { email: typed };
    const given = await dataOf(apiClient.grantUniversityRole({ params, body: { ...role, ...whom } }));
    setGranted(
      "offer" in given ? t("offered") : t("roles.granted", { name: given.full_name ?? given.email ?? "" }),
    );
    onGranted();
  };
  return (
    <NewEntryCard id="grant" title={t("roles.grant")} submit={t("roles.grant")} send={send} done={granted}>
      <p class="quiet">{t("roles.grant.about")}</p>
      <RoleGrantFields university={university} departments={departments} email={email} />
    </NewEntryCard>
  );
}

type LineProps = {
  held: Role;
  department: string | undefined;
  onChange: () => void;
  /** Whether the list is of one person, whose name the screen shows. */
  isOfPerson?: boolean;
};

export function RoleAssignmentLine({ held, department, onChange, isOfPerson = false }: LineProps) {
  const params = { path: { university_id: held.university_id, role_id: held.id } };
  const what = { name: held.full_name, role: t(`role.${held.role}`) };
  const revoke = async () => {
    if (!confirm(t("roles.revoke.sure", what))) return;
    await dataOf(apiClient.revokeUniversityRole({ params }));
    onChange();
  };
  return (
    <li>
      {!isOfPerson && (
        <span>
          <strong>{held.full_name}</strong> <small>{held.email}</small>
        </span>
      )}
      <span class="row">
        <span class="badge">{what.role}</span>
        {department && <span>{department}</span>}
        <small>{t("since", { day: formatDay(held.created_at) })}</small>
        {canGrantOrRevokeRole(useCurrentUser(), held) && (
          <ActionButton class="quiet" run={revoke} label={t("roles.revoke.of", what)}>
            {t("invitation.revoke")}
          </ActionButton>
        )}
      </span>
    </li>
  );
}
