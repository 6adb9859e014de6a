import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { Avatar } from "../files/avatar.tsx";
import { formatDay, formatPercentOf100 } from "../format.ts";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { DeactivatedOrSuspendedBadges } from "./deactivated-badges.tsx";
import { PersonRecentAuditEvents } from "./person-events.tsx";
import { RoleAssignmentLine } from "./roles.tsx";
import { administersWholeUniversity } from "./scope.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";
import { useDepartments } from "./use-departments.ts";

type User = Schemas["UserWithMemberships"];
type PersonScreenProps = { university: string; person: string };

/** A person of a university: roles, courses, sign-ins, events and actions. */
export function PersonScreen({ university, person }: PersonScreenProps) {
  const id = Number(university);
  const user_id = Number(person);
  const user = useQuery(
    (signal) => dataOf(apiClient.getUser({ params: { path: { user_id } }, signal })),
    [person],
  );
  const readsAudit = administersWholeUniversity(useCurrentUser(), id);
  return (
    <UniversityAdministrationLayout
      university={university}
      part="people"
      title={user.value?.full_name ?? t("people")}
    >
      <BackLink route={["administration", university, "people"]}>{t("people")}</BackLink>
      <QueryBoundary of={user}>
        {(found) => <Account university={id} user={found} onChange={user.again} />}
      </QueryBoundary>
      <div class="panels">
        <Roles university={id} user={user} user_id={user_id} />
        <Courses university={id} person={user_id} />
        {readsAudit && <PersonRecentAuditEvents university={id} person={user_id} action="sign_in" />}
        {readsAudit && <PersonRecentAuditEvents university={id} person={user_id} />}
      </div>
    </UniversityAdministrationLayout>
  );
}

type AccountProps = { university: number; user: User; onChange: () => void };

function Account({ university, user, onChange }: AccountProps) {
  const here = user.memberships.find(({ university_id }) => university_id === university);
  return (
    <section class="card" aria-label={t("people.account")}>
      <div class="row">
        <span class="named">
          <Avatar url={user.avatar_url} name={user.full_name} />
          <span>
            {user.email} {here?.external_id && <small> {here.external_id}</small>}
          </span>
        </span>
        <span class="row">
          <DeactivatedOrSuspendedBadges user={user} university={university} />
          <small>{t("since", { day: formatDay(user.created_at) })}</small>
          <PersonActions user={user} university={university} onChange={onChange} />
        </span>
      </div>
    </section>
  );
}

/** Suspends a person in the university. The platform deactivates accounts. */
function PersonActions({ user, university, onChange }: AccountProps) {
  const person = useCurrentUser();
  const { id, full_name, is_active } = user;
  const here = user.memberships.find(({ university_id }) => university_id === university);
  const isSuspended = here?.is_active === false;
  if (id === person.profile.id || !administersWholeUniversity(person, university)) return null;
  const turn = async () => {
    if (is_active && !confirm(t("people.deactivate.sure", { name: full_name }))) return;
    const params = { path: { user_id: id } };
    await dataOf(apiClient.setUserActive({ params, body: { is_active: !is_active } }));
    onChange();
  };
  const turnHere = async () => {
    if (!isSuspended && !confirm(t("people.suspend.sure", { name: full_name }))) return;
    const params = { path: { university_id: university, user_id: id } };
    await dataOf(apiClient.setUniversityMemberActive({ params, body: { is_active: isSuspended } }));
    onChange();
  };
  return (
    <>
      {here && (
        <ActionButton class="quiet" run={turnHere}>
          {t(isSuspended ? "people.restore" : "people.suspend")}
        </ActionButton>
      )}
      {isPlatformAdmin(person) && (
        <ActionButton class="quiet" run={turn}>
          {t(is_active ? "people.deactivate" : "people.reactivate")}
        </ActionButton>
      )}
    </>
  );
}

type RolesProps = { university: number; user_id: number; user: QueryHookResult<User> };

function Roles({ university, user_id, user }: RolesProps) {
  const path = { university_id: university };
  const roles = usePagedQuery(
    (part, signal) =>
      dataOf(apiClient.listUniversityRoles({ params: { path, query: { ...part, user_id } }, signal })),
    [university, user_id],
  );
  const departments = useDepartments(university);
  const prefilled =
    user.value && new URLSearchParams({ email: user.value.email ?? "", user: String(user_id) });
  return (
    <section class="card" aria-labelledby="person-roles">
      <div class="line-head">
        <h2 id="person-roles">{t("roles")}</h2>
        {prefilled && (
          <a href={`${screenHref("administration", university, "roles")}?${prefilled}`}>{t("roles.grant")}</a>
        )}
      </div>
      <PagedLineList of={roles} empty={t("person.no.roles")}>
        {(one) => (
          <RoleAssignmentLine
            held={one}
            department={departments.value?.find(({ id }) => id === one.department_id)?.name}
            onChange={roles.query.again}
            isOfPerson
          />
        )}
      </PagedLineList>
    </section>
  );
}

function Courses({ university, person }: { university: number; person: number }) {
  const path = { user_id: person };
  const enrollments = usePagedQuery(
    (part, signal) => {
      const query = { ...part, university_id: university };
      return dataOf(apiClient.listUserEnrollments({ params: { path, query }, signal }));
    },
    [university, person],
  );
  return (
    <section class="card" aria-labelledby="person-courses">
      <h2 id="person-courses">{t("person.courses")}</h2>
      <PagedLineList of={enrollments} empty={t("person.no.courses")}>
        {({ course_id, course_offering_id, course_offering, status, progress_percent }) => (
          <li>
            <span>
              <a href={screenHref("teaching", course_id, course_offering_id, "learners", person)}>
                {course_offering.course.title}
              </a>{" "}
              <small>{course_offering.term_name}</small>
            </span>
            <span class="row">
              <small>{formatPercentOf100(progress_percent)}</small>
              <span class={`badge ${status.toLowerCase()}`}>{t(`status.${status}`)}</span>
            </span>
          </li>
        )}
      </PagedLineList>
    </section>
  );
}
