import type { Schemas } from "learning-platform-client";
import { isPlatformAdmin, type Person } from "../session.tsx";

export type Role = Schemas["OwnRole"]["role"];

const upToInstructor: Role[] = ["STUDENT", "TA", "INSTRUCTOR"];
const upToUniversity: Role[] = [...upToInstructor, "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN"];

export const administersAll = (person: Person, university: number): boolean =>
  isPlatformAdmin(person) ||
  person.roles.some(({ role, university_id }) => role === "UNIVERSITY_ADMIN" && university_id === university);

/** Whether someone administers the university, or at least one of its departments. */
export const administersIn = (person: Person, university: number): boolean =>
  administersAll(person, university) || ownDepartments(person, university).size > 0;

/** The departments that someone administers by a role that is bound to them. */
export const ownDepartments = ({ roles }: Person, university: number): Set<number | null> =>
  new Set(
    roles
      .filter(({ role, university_id }) => role === "DEPARTMENT_ADMIN" && university_id === university)
      .map(({ department_id }) => department_id),
  );

export const everyRole: Role[] = [...upToUniversity, "PLATFORM_ADMIN"];

/** The roles that someone may grant in a university. */
export function grantable(person: Person, university: number): Role[] {
  if (isPlatformAdmin(person)) return everyRole;
  return administersAll(person, university) ? upToUniversity : upToInstructor;
}
