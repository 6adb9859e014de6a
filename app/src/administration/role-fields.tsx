import { Field, SelectField } from "../parts/field.tsx";
import { chosen, numberOrNull, typed } from "../parts/form.tsx";
import { named } from "../parts/id-field.tsx";
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
      <Field name="email" label={t("email")}>
        <input type="email" maxLength={255} defaultValue={email} required />
      </Field>
      <SelectField
        name="role"
        label={t("invite.role")}
        of={grantable(person, university).map((role) => [role, t(`role.${role}`)])}
        chosen="STUDENT"
      />
      <Shown of={departments}>
        {(found) =>
          found.length > 0 && (
            <SelectField
              name="department_id"
              label={t("invite.department")}
              of={[
                ...(isFree ? [["", t("invite.whole.university")] as const] : []),
                ...found.filter(({ id }) => isFree || own.has(id)).map(named),
              ]}
              chosen={null}
            />
          )
        }
      </Shown>
    </div>
  );
}

/** What was chosen in these fields. */
export function chosenRole(fields: FormData) {
  const department_id = numberOrNull(fields, "department_id");
  return {
    email: typed(fields, "email"),
    role: chosen<Role>(fields, "role"),
    ...(department_id !== null && { department_id }),
  };
}
