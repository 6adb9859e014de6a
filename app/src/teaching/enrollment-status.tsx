import { dataOf, type Schemas } from "learning-platform-client";
import { SelectField } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";

type Status = Schemas["RosterEntry"]["status"];

const statuses: Status[] = ["ACTIVE", "COMPLETED", "DROPPED", "PENDING", "WAITLISTED"];

type EnrollmentStatusProps = { id: number; status: Status; onChange: () => void };

export function EnrollmentStatusForm({ id, status, onChange }: EnrollmentStatusProps) {
  const save = async (fields: FormData) => {
    const body = { status: readSelectField<Status>(fields, "status") };
    await dataOf(apiClient.updateEnrollment({ params: { path: { enrollment_id: id } }, body }));
    onChange();
  };
  return (
    <Form class="filters" send={save} submit={t("save")} done={t("saved")}>
      <SelectField
        name="status"
        label={t("roster.status")}
        of={withTranslatedLabels("status", statuses)}
        chosen={status}
      />
    </Form>
  );
}
