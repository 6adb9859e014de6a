import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDay } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { RoleGrantFields, readRoleGrantFields } from "./role-fields.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";
import { useDepartments } from "./use-departments.ts";

type Invitation = Schemas["Invitation"];

export function InvitationsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const invitations = usePagedQuery(
    (query, signal) => dataOf(apiClient.listInvitations({ params: { path, query }, signal })),
    [university],
  );
  return (
    <UniversityAdministrationLayout university={university} part="invitations" title={t("invitations")}>
      <Invite university={Number(university)} onInvited={invitations.query.again} />
      <PagedLineList of={invitations} empty={t("invitations.empty")}>
        {(one) => <InvitationLine invitation={one} onChange={invitations.query.again} />}
      </PagedLineList>
    </UniversityAdministrationLayout>
  );
}

function Invite({ university, onInvited }: { university: number; onInvited: () => void }) {
  const params = { path: { university_id: university } };
  const send = async (fields: FormData) => {
    await dataOf(apiClient.createInvitation({ params, body: readRoleGrantFields(fields) }));
    onInvited();
  };
  return (
    <NewEntryCard
      id="invite"
      title={t("invite")}
      submit={t("invite.send")}
      send={send}
      done={t("invite.sent")}
    >
      <RoleGrantFields university={university} departments={useDepartments(university)} />
    </NewEntryCard>
  );
}

/** Describes the grant: a role, a seat, both, or an exemption from a prerequisite. */
const wordsOf = ({ role, teaches, course_id: course, course_offering_id: offering }: Invitation): string =>
  [
    role && t(`role.${role}`),
    offering !== null && t(teaches ? "invitation.teaches" : "invitation.enrolls"),
    course !== null && t("invitation.excuses"),
  ]
    .filter(Boolean)
    .join(", ");

function InvitationLine({ invitation: one, onChange }: { invitation: Invitation; onChange: () => void }) {
  const params = { path: { university_id: one.university_id, invitation_id: one.id } };
  const again = async () => {
    await dataOf(apiClient.sendInvitationAgain({ params }));
    onChange();
  };
  const revoke = async () => {
    await dataOf(apiClient.revokeInvitation({ params }));
    onChange();
  };
  const isPending = one.status === "OPEN" || one.status === "EXPIRED";
  return (
    <li>
      <span>
        {one.email} <small>{wordsOf(one)}</small>
      </span>
      <span class="row">
        <span
          class={`badge ${one.status === "ACCEPTED" ? "completed" : one.status === "OPEN" ? "waiting" : ""}`}
        >
          {t(`invitation.${one.status}`)}
        </span>
        <small>{t("invitation.until", { day: formatDay(one.expires_at) })}</small>
        {isPending && (
          <>
            <ActionButton class="quiet" run={again}>
              {t("invitation.again")}
            </ActionButton>
            <ActionButton class="quiet" run={revoke}>
              {t("invitation.revoke")}
            </ActionButton>
          </>
        )}
      </span>
    </li>
  );
}
