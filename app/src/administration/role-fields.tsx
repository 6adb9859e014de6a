import { DepartmentField } from "../components/department-field.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { selectedValue, textField } from "../components/form.tsx";
import { numberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary } from "../query.tsx";
import { useCurrentUser } from "../session.tsx";
import { t, withLabel } from "../texts.ts";
import {
  administersDepartment,
  administersWholeUniversity,
  everyRole,
  grantableRoles,
  type Role,
} from "./scope.ts";
import type { DepartmentTree } from "./use-departments.ts";

export const roleOptions = (): [Role | "", string][] => [["", t("any")], ...withLabel("role", everyRole)];

type RoleFieldsProps = { university: number; departments: DepartmentTree; email?: string };

/** Fields of a role grant, limited to the roles that the caller may grant. */
export function RoleFields({ university, departments, email }: RoleFieldsProps) {
  const person = useCurrentUser();
  const isFree = administersWholeUniversity(person, university);
  return (
    <div class="fields">
      <Field name="email" label={t("email")}>
        <input type="email" maxLength={255} defaultValue={email} required />
      </Field>
      <SelectField
        name="role"
        label={t("invite.role")}
        of={withLabel("role", grantableRoles(person, university))}
        chosen="STUDENT"
      />
      <QueryBoundary of={departments}>
        {(found) =>
          found.length > 0 && (
            <DepartmentField
              departments={found}
              may={(id) => (id === null ? isFree : administersDepartment(person, university, id))}
            />
          )
        }
      </QueryBoundary>
    </div>
  );
}

export function readRoleFields(fields: FormData) {
  const department_id = numberFieldOrNull(fields, "department_id");
  return {
    email: textField(fields, "email"),
    role: selectedValue<Role>(fields, "role"),
    ...(department_id !== null && { department_id }),
  };
}
