import type { Schemas } from "learning-platform-client";
import { hasRoleOrHigherAt } from "../role-checks.ts";
import { type CurrentUser, isPlatformAdmin } from "../session.tsx";

export type UserRoleName = Schemas["OwnRole"]["role"];

const upToInstructor: UserRoleName[] = ["STUDENT", "TA", "INSTRUCTOR"];
const upToUniversity: UserRoleName[] = [...upToInstructor, "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN"];

export const administersWholeUniversity = (person: CurrentUser, university: number): boolean =>
  isPlatformAdmin(person) ||
  person.roles.some(({ role, university_id }) => role === "UNIVERSITY_ADMIN" && university_id === university);

/** Whether the person administers the university or at least one of its departments. */
export const administersUniversityOrDepartment = (person: CurrentUser, university: number): boolean =>
  administersWholeUniversity(person, university) ||
  person.roles.some(({ role, university_id }) => role === "DEPARTMENT_ADMIN" && university_id === university);

export const administersDepartment = (person: CurrentUser, university: number, department: number): boolean =>
  hasRoleOrHigherAt(person.roles, "DEPARTMENT_ADMIN", {
    university_id: university,
    department_id: department,
  });

export const allRoleNames: UserRoleName[] = [...upToUniversity, "PLATFORM_ADMIN"];

export function grantableRoles(person: CurrentUser, university: number): UserRoleName[] {
  if (isPlatformAdmin(person)) return allRoleNames;
  return administersWholeUniversity(person, university) ? upToUniversity : upToInstructor;
}

export const canGrantOrRevokeRole = (
  person: CurrentUser,
  { role, university_id, department_id }: Pick<Schemas["Role"], "role" | "university_id" | "department_id">,
): boolean =>
  grantableRoles(person, university_id).includes(role) &&
  (administersWholeUniversity(person, university_id) ||
    (department_id !== null && administersDepartment(person, university_id, department_id)));
