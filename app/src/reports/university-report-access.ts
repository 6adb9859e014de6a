import { allOf, type Schemas } from "learning-platform-client";
import { apiClient } from "../service.ts";
import { type CurrentUser, isPlatformAdmin } from "../session.tsx";
import type { SelectedReportScope } from "./read-reports.ts";

export type UniversityReportAccess = {
  university: Schemas["University"];
  departments: Schemas["Department"][];
  /** Whether the whole university is readable, or only departments. */
  isWhole: boolean;
};

/** Everything the person may read: whole universities, or single departments. */
export async function listUniversityReportAccess(
  person: CurrentUser,
  signal: AbortSignal,
): Promise<UniversityReportAccess[]> {
  const all = await allOf(apiClient.listUniversities, { params: { query: { limit: 1000 } }, signal });
  const held = person.roles.filter(({ role }) => role === "UNIVERSITY_ADMIN" || role === "DEPARTMENT_ADMIN");
  const found = all.map(async (university) => {
    const here = held.filter(({ university_id }) => university_id === university.id);
    const isWhole = isPlatformAdmin(person) || here.some(({ department_id }) => department_id === null);
    // Platform administrators see many universities, so their departments are not loaded.
    if (here.length === 0) return isWhole ? { university, departments: [], isWhole } : undefined;
    const params = { path: { university_id: university.id }, query: { limit: 1000 } };
    const departments = await allOf(apiClient.listUniversityDepartments, { params, signal });
    const own = departments.filter(
      ({ id }) => isWhole || here.some(({ department_id }) => department_id === id),
    );
    return isWhole || own.length > 0 ? { university, departments: own, isWhole } : undefined;
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

/** The initial scope, or undefined if there is none. */
export function initialReportScope(
  person: CurrentUser,
  readable: UniversityReportAccess[],
): SelectedReportScope | undefined {
  if (isPlatformAdmin(person)) return { kind: "platform" };
  return readable[0] && defaultScopeInUniversity(readable[0]);
}

/** The university, or the first department if the whole is not readable. */
export function defaultScopeInUniversity(
  { university, departments, isWhole }: UniversityReportAccess,
  department?: number,
): SelectedReportScope {
  const chosen = department ?? (isWhole ? undefined : departments[0]?.id);
  return chosen === undefined
    ? { kind: "university", university: university.id }
    : { kind: "department", university: university.id, department: chosen };
}
