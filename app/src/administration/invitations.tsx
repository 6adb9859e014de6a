import { dataOf, type Schemas } from "learning-platform-client";
import { day } from "../format.ts";
import { Action } from "../parts/action.tsx";
import { Form, typed } from "../parts/form.tsx";
import { Listed, usePaged } from "../parts/paged.tsx";
import { Shown, useReading } from "../reading.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { UniversityScreen } from "./university-screen.tsx";

type Invitation = Schemas["Invitation"];
type Role = NonNullable<Invitation["role"]>;

const roles: Role[] = ["STUDENT", "TA", "INSTRUCTOR", "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN"];

/** Who was invited to a university, and as what. */
export function InvitationsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const invitations = usePaged(
    (query, signal) => dataOf(api.listInvitations({ params: { path, query }, signal })),
    [university],
  );
  return (
    <UniversityScreen university={university} part="invitations" title={t("invitations")}>
      <Invite university={Number(university)} onInvited={invitations.reading.again} />
      <Listed of={invitations} empty={t("invitations.empty")}>
        {(found) => (
          <ul class="lines">
            {found.map((one) => (
              <InvitationLine key={one.id} invitation={one} onChange={invitations.reading.again} />
            ))}
          </ul>
        )}
      </Listed>
    </UniversityScreen>
  );
}

function Invite({ university, onInvited }: { university: number; onInvited: () => void }) {
  const path = { university_id: university };
  const departments = useReading(
    (signal) => dataOf(api.listUniversityDepartments({ params: { path, query: { limit: 1000 } }, signal })),
    [university],
  );
  async function send(fields: FormData) {
    const department = Number(fields.get("department"));
    const body = {
      email: typed(fields, "email"),
      role: String(fields.get("role")) as Role,
      ...(department > 0 && { department_id: department }),
    };
    await dataOf(api.createInvitation({ params: { path }, body }));
    onInvited();
  }
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">{t("invite")}</h2>
      <Form send={send} submit={t("invite.send")} done={t("invite.sent")} clears>
        <div class="fields">
          <label>
            {t("email")}
            <input type="email" name="email" required />
          </label>
          <label>
            {t("invite.role")}
            <select name="role">
              {roles.map((role) => (
                <option key={role} value={role}>
                  {t(`role.${role}`)}
                </option>
              ))}
            </select>
          </label>
          <Shown of={departments}>
            {(found) =>
              found.length > 0 && (
                <label>
                  {t("invite.department")}
                  <select name="department">
                    <option value="">{t("invite.whole.university")}</option>
                    {found.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                </label>
              )
            }
          </Shown>
        </div>
      </Form>
    </section>
  );
}

function InvitationLine({ invitation: one, onChange }: { invitation: Invitation; onChange: () => void }) {
  const params = { path: { university_id: one.university_id, invitation_id: one.id } };
  const again = async () => {
    await dataOf(api.sendInvitationAgain({ params }));
    onChange();
  };
  const revoke = async () => {
    await dataOf(api.revokeInvitation({ params }));
    onChange();
  };
  const isPending = one.status === "OPEN" || one.status === "EXPIRED";
  return (
    <li>
      <span>
        {one.email} <small>{one.role && t(`role.${one.role}`)}</small>
      </span>
      <span class="row">
        <span
          class={`badge ${one.status === "ACCEPTED" ? "completed" : one.status === "OPEN" ? "waiting" : ""}`}
        >
          {t(`invitation.${one.status}`)}
        </span>
        <small>{t("invitation.until", { day: day(one.expires_at) })}</small>
        {isPending && (
          <>
            <Action class="quiet" run={again}>
              {t("invitation.again")}
            </Action>
            <Action class="quiet" run={revoke}>
              {t("invitation.revoke")}
            </Action>
          </>
        )}
      </span>
    </li>
  );
}
