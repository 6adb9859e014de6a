import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { SelectField } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type MembersProps = {
  course: string;
  path: { offering_id: number; group_id: number };
  onChange: () => void;
};

export function GroupMembersEditor({ course, path, onChange }: MembersProps) {
  const people = usePagedQuery(
    async (query, signal) => {
      const page = await dataOf(apiClient.listGroupMembers({ params: { path, query }, signal }));
      return page.map((one) => ({ ...one, id: one.user_id }));
    },
    [path.group_id],
  );
  const changed = () => {
    people.query.again();
    onChange();
  };
  return (
    <>
      <section aria-labelledby="members">
        <h2 id="members">{t("groups.members")}</h2>
        <PagedLineList of={people} empty={t("groups.members.empty")}>
          {(one) => <MemberLine member={one} path={path} onChange={changed} />}
        </PagedLineList>
      </section>
      <AddMember course={course} path={path} onChange={changed} />
    </>
  );
}

function AddMember({ course, path, onChange }: MembersProps) {
  const at = { course_id: Number(course), offering_id: path.offering_id };
  const known = useQuery(
    async (signal): Promise<[string, string][]> => {
      const [learners, teachers] = await Promise.all([
        allOf(apiClient.listCourseOfferingEnrollments, {
          params: { path: at, query: { sort: "full_name" } },
          signal,
        }),
        allOf(apiClient.listCourseOfferingInstructors, { params: { path: at }, signal }),
      ]);
      return [
        ...learners.map((one): [string, string] => [`MEMBER ${one.user_id}`, one.full_name]),
        ...teachers.map((one): [string, string] => [
          `STAFF ${one.user_id}`,
          t("groups.staff.of", { name: one.full_name }),
        ]),
      ];
    },
    [path.offering_id],
  );
  const add = async (fields: FormData) => {
    const [role, user] = readTextField(fields, "person").split(" ");
    await dataOf(
      apiClient.putGroupMember({
        params: { path: { ...path, user_id: Number(user) } },
        body: { role: role === "STAFF" ? "STAFF" : "MEMBER" },
      }),
    );
    onChange();
  };
  return (
    <NewEntryCard id="new-member" title={t("groups.member.new")} submit={t("groups.member.add")} send={add}>
      <QueryBoundary of={known}>
        {(found) => (
          <SelectField name="person" label={t("groups.person")} of={found} chosen={null} required />
        )}
      </QueryBoundary>
    </NewEntryCard>
  );
}

type LineProps = Pick<MembersProps, "path" | "onChange"> & { member: Schemas["GroupMember"] };

function MemberLine({ member, path, onChange }: LineProps) {
  const { user_id, full_name, email, role, has_place } = member;
  const remove = async () => {
    await dataOf(apiClient.removeGroupMember({ params: { path: { ...path, user_id } } }));
    onChange();
  };
  return (
    <li>
      <span>
        {full_name} <small>{email}</small>
      </span>
      <span class="row">
        {role === "STAFF" && <small>{t("groups.staff")}</small>}
        {role === "MEMBER" && !has_place && <small>{t("groups.without.place")}</small>}
        <ActionButton class="quiet" run={remove} label={t("groups.member.remove.of", { name: full_name })}>
          {t("groups.member.remove")}
        </ActionButton>
      </span>
    </li>
  );
}
