import { typed } from "../parts/form.tsx";
import { Shown } from "../reading.tsx";
import { usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import type { Departments } from "./departments-of.ts";
import { administersAll, everyRole, grantable, ownDepartments, type Role } from "./scope.ts";

/** Every role, and none, to narrow a list down by. */
export const roleOptions = (): [Role | "", string][] => [
  ["", t("any")],
  ...everyRole.map((role): [Role, string] => [role, t(`role.${role}`)]),
];

type RoleFieldsProps = { university: number; departments: Departments; email?: string };

/** Who is to have which role, and where in the university: what the caller may grant, and no more. */
export function RoleFields({ university, departments, email }: RoleFieldsProps) {
  const person = usePerson();
  const isFree = administersAll(person, university);
  const own = ownDepartments(person, university);
  return (
    <div class="fields">
      <label>
        {t("email")}
        <input type="email" name="email" maxLength={255} defaultValue={email} required />
      </label>
      <label>
        {t("invite.role")}
        <select name="role">
          {grantable(person, university).map((role) => (
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
                {isFree && <option value="">{t("invite.whole.university")}</option>}
                {found
                  .filter(({ id }) => isFree || own.has(id))
                  .map(({ id, name }) => (
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
  );
}

/** What was chosen in these fields. */
export function chosenRole(fields: FormData) {
  const department_id = Number(fields.get("invite.department"));
  return {
    email: typed(fields, "email"),
    role: String(fields.get("role")) as Role,
    ...(department_id > 0 && { department_id }),
  };
}
