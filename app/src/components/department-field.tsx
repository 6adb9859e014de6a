import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";
import { SelectField } from "./field.tsx";
import { toNameOption } from "./id-field.tsx";

type DepartmentFieldProps = {
  departments: readonly Schemas["Department"][];
  /** Whether the caller may choose the department, or with null the whole university. */
  may: (department: number | null) => boolean;
  chosen?: number | null | undefined;
};

/** The whole university or a department, limited to what the caller may choose. */
export const DepartmentOrUniversitySelect = ({ departments, may, chosen = null }: DepartmentFieldProps) => (
  <SelectField
    name="department_id"
    label={t("invite.department")}
    of={[
      ...(may(null) ? [["", t("invite.whole.university")] as const] : []),
      ...departments.filter(({ id }) => may(id)).map(toNameOption),
    ]}
    chosen={chosen}
  />
);
