import { sql } from "drizzle-orm";
import {
  type CollectionDefinition,
  numberInSourcedId,
  type ResourceRow,
  resourceBase,
  rosteringReference,
} from "./collection.ts";
import { commonFilters } from "./common-filters.ts";

export const toUniversitySourcedId = (university: number): string => `university-${university}`;
export const toDepartmentSourcedId = (department: number): string => `department-${department}`;

type OrgRow = ResourceRow & {
  name: string;
  type: "school" | "department";
  identifier: string;
  departments: number[] | null;
};

/** The university is a school, because classes must refer to one. */
export const orgsCollection: CollectionDefinition = {
  many: "orgs",
  one: "org",
  source: (university) => sql`
    select 'university-' || id as sourced_id, id, true as is_active, updated_at as changed_at, name, 'school' as type,
           short_code as identifier
    from universities where id = ${university}
    union all
    select 'department-' || id, id, true, updated_at, name, 'department', code
    from departments where university_id = ${university}`,
  lookups: sql`
    one.name, one.type, one.identifier, case when one.type = 'school' then (
      select json_agg(department.id order by department.id) from departments as department
      where department.university_id = one.id) end as departments`,
  names: ["name", "type", "identifier", "parent", "children"],
  filters: {
    ...commonFilters,
    name: { kind: "text", value: sql`one.name` },
    type: { kind: "text", value: sql`one.type` },
    identifier: { kind: "text", value: sql`one.identifier` },
  },
  matches: (sourcedId) => {
    const university = numberInSourcedId("university", sourcedId);
    const department = numberInSourcedId("department", sourcedId);
    if (university !== undefined) return sql`one.type = 'school' and one.id = ${university}`;
    return department === undefined ? undefined : sql`one.type = 'department' and one.id = ${department}`;
  },
  toResource: (row: OrgRow, service) => ({
    ...resourceBase(row),
    name: row.name,
    type: row.type,
    identifier: row.identifier,
    ...(row.type === "department" && {
      parent: rosteringReference(service, "org", toUniversitySourcedId(service.university)),
    }),
    ...(row.departments && {
      children: row.departments.map((id) => rosteringReference(service, "org", toDepartmentSourcedId(id))),
    }),
  }),
};
