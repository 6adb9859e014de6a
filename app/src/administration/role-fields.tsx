import { DepartmentOrUniversitySelect } from "../components/department-field.tsx";
import { Field, SelectField } from "../components/field.tsx";
import { readSelectField, readTextField } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary } from "../query.tsx";
import { useCurrentUser } from "../session.tsx";
import { t, withTranslatedLabels } from "../texts.ts";
import {
  administersDepartment,
  administersWholeUniversity,
  allRoleNames,
  grantableRoles,
  type UserRoleName,
} from "./scope.ts";
import type { DepartmentsQuery } from "./use-departments.ts";

export const roleFilterOptions = (): [UserRoleName | "", string][] => [
  ["", t("any")],
  ...withTranslatedLabels("role", allRoleNames),
];

type RoleFieldsProps = { university: number; departments: DepartmentsQuery; email?: string };

/** Fields of a role grant, limited to the roles that the caller may grant. */
export function RoleGrantFields({ university, departments, email }: RoleFieldsProps) {
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
        of={withTranslatedLabels("role", grantableRoles(person, university))}
        chosen="STUDENT"
      />
      <QueryBoundary of={departments}>
        {(found) =>
          found.length > 0 && (
            <DepartmentOrUniversitySelect
              departments={found}
              may={(id) => (id === null ? isFree : administersDepartment(person, university, id))}
            />
          )
        }
      </QueryBoundary>
    </div>
  );
}

export function readRoleGrantFields(fields: FormData) {
  const department_id = readNumberFieldOrNull(fields, "department_id");
  return {
    email: readTextField(fields, "email"),
    role: readSelectField<UserRoleName>(fields, "role"),
    ...(department_id !== null && { department_id }),
  };
}
