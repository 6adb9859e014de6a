import type { Schemas } from "learning-platform-client";
import { hasRoleAt } from "../rights.ts";
import { isPlatformAdmin, type Person } from "../session.tsx";

export type Role = Schemas["OwnRole"]["role"];

const upToInstructor: Role[] = ["STUDENT", "TA", "INSTRUCTOR"];
const upToUniversity: Role[] = [...upToInstructor, "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN"];

export const administersAll = (person: Person, university: number): boolean =>
  isPlatformAdmin(person) ||
  person.roles.some(({ role, university_id }) => role === "UNIVERSITY_ADMIN" && university_id === university);

/** Whether the person administers the university or at least one of its departments. */
export const administersIn = (person: Person, university: number): boolean =>
  administersAll(person, university) ||
  person.roles.some(({ role, university_id }) => role === "DEPARTMENT_ADMIN" && university_id === university);

export const administersDepartment = (person: Person, university: number, department: number): boolean =>
  hasRoleAt(person.roles, "DEPARTMENT_ADMIN", { university_id: university, department_id: department });

export const everyRole: Role[] = [...upToUniversity, "PLATFORM_ADMIN"];

export function grantable(person: Person, university: number): Role[] {
  if (isPlatformAdmin(person)) return everyRole;
  return administersAll(person, university) ? upToUniversity : upToInstructor;
}

export const mayGrant = (
  person: Person,
  { role, university_id, department_id }: Pick<Schemas["Role"], "role" | "university_id" | "department_id">,
): boolean =>
  grantable(person, university_id).includes(role) &&
  (administersAll(person, university_id) ||
    (department_id !== null && administersDepartment(person, university_id, department_id)));
