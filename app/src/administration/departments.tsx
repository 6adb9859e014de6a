import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { administersDepartment, administersWholeUniversity } from "./scope.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Department = Schemas["Department"];

/** The departments of a university. A department_admin may change only their own. */
export function DepartmentsScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const person = useCurrentUser();
  const isFree = administersWholeUniversity(person, path.university_id);
  const departments = usePagedQuery(
    (query, signal) => dataOf(apiClient.listUniversityDepartments({ params: { path, query }, signal })),
    [university],
  );
  const create = async (fields: FormData) => {
    await dataOf(apiClient.createUniversityDepartment({ params: { path }, body: departmentOf(fields) }));
    departments.query.again();
  };
  return (
    <UniversityAdministrationLayout university={university} part="departments" title={t("departments")}>
      <PagedCardList of={departments} empty={t("departments.empty")}>
        {(one) => (
          <DepartmentView
            department={one}
            may={{ change: administersDepartment(person, path.university_id, one.id), remove: isFree }}
            onChange={departments.query.again}
          />
        )}
      </PagedCardList>
      {isFree && (
        <NewEntryCard
          id="new-department"
          title={t("departments.new")}
          submit={t("departments.create")}
          send={create}
        >
          <DepartmentFields />
        </NewEntryCard>
      )}
    </UniversityAdministrationLayout>
  );
}

const departmentOf = (fields: FormData): Schemas["DepartmentCreate"] => ({
  name: readTextField(fields, "name"),
  code: readTextField(fields, "code"),
});

const DepartmentFields = ({ department }: { department?: Department }) => (
  <div class="fields">
    <Field name="name" label={t("name")}>
      <input maxLength={255} defaultValue={department?.name} required />
    </Field>
    <Field name="code" label={t("departments.code")}>
      <input maxLength={64} defaultValue={department?.code} required />
    </Field>
  </div>
);

type ViewProps = {
  department: Department;
  may: { change: boolean; remove: boolean };
  onChange: () => void;
};

function DepartmentView({ department, may, onChange }: ViewProps) {
  const { id, university_id, name, code } = department;
  const params = { path: { university_id, department_id: id } };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{code}</span>
      </div>
      {may.change && (
        <EditOrDeleteForm
          save={(fields) =>
            dataOf(apiClient.updateUniversityDepartment({ params, body: departmentOf(fields) }))
          }
          remove={may.remove && (() => dataOf(apiClient.deleteUniversityDepartment({ params })))}
          sure={t("departments.delete.sure")}
          onChange={onChange}
        >
          <DepartmentFields department={department} />
        </EditOrDeleteForm>
      )}
    </>
  );
}
