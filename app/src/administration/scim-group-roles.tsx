import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { Form, readSelectField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ScimRequestLog } from "./scim-request-log.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Group = Schemas["DirectoryGroup"];

const roles: NonNullable<Group["role"]>[] = ["STUDENT", "TA", "INSTRUCTOR"];

/** SCIM settings: the endpoint, and the roles that groups map to. */
export function ScimGroupRolesScreen({ university }: { university: string }) {
  const path = { university_id: Number(university) };
  const groups = usePagedQuery(
    (query, signal) => dataOf(apiClient.listDirectoryGroups({ params: { path, query }, signal })),
    [university],
  );
  return (
    <UniversityAdministrationLayout university={university} part="directory" title={t("directory")}>
      <p class="quiet">{t("directory.about")}</p>
      <label>
        {t("directory.address")}
        <input
          readOnly
          value={`${location.origin}/scim/v2`}
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <PagedCardList of={groups} empty={t("directory.empty")}>
        {(one) => <GroupView group={one} university={path.university_id} onChange={groups.query.again} />}
      </PagedCardList>
      <LazyDisclosure label={t("directory.requests")}>
        {() => <ScimRequestLog university={path.university_id} />}
      </LazyDisclosure>
    </UniversityAdministrationLayout>
  );
}

type GroupViewProps = { group: Group; university: number; onChange: () => void };

function GroupView({ group, university, onChange }: GroupViewProps) {
  const { id, display_name: name, role, member_count: count } = group;
  const map = async (fields: FormData) => {
    const params = { path: { university_id: university, directory_group_id: id } };
    const wanted = readSelectField<NonNullable<Group["role"]> | "">(fields, "role") || null;
    await dataOf(apiClient.mapDirectoryGroup({ params, body: { role: wanted } }));
    onChange();
  };
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{t("directory.members", { count })}</span>
      </div>
      <Form submit={t("save")} send={map} done={t("saved")}>
        <Field name="role" label={t("directory.role", { name })}>
          <select>
            <option value="">{t("directory.role.none")}</option>
            {roles.map((one) => (
              <option key={one} value={one} selected={one === role}>
                {t(`role.${one}`)}
              </option>
            ))}
          </select>
        </Field>
      </Form>
    </>
  );
}
