import type { Schemas } from "learning-platform-client";
import { hasRoleOrHigherAt, isAuthorRole } from "./role-checks.ts";
import { isStaffRole } from "./session.tsx";

type Role = Schemas["OwnRole"];
type Scope = { university_id?: number; department_id?: number; course_id?: number };

/** The scopes in which the person is staff, as list filters. A platform administrator is staff everywhere. */
export const staffScopeFilters = (roles: readonly Role[]): Scope[] => scopesOf(roles.filter(isStaffRole));

export const authorScopeFilters = (roles: readonly Role[]): Scope[] => scopesOf(roles.filter(isAuthorRole));

/** Whether the person may create a course next to this one. Rights in a single course are not enough. */
export const canCreateCourseInSameDepartment = (
  roles: readonly Role[],
  course: Schemas["Course"],
): boolean => {
  const { university_id, department_id } = course;
  return hasRoleOrHigherAt(roles, "INSTRUCTOR", { university_id, department_id });
};

const scopesOf = (roles: readonly Role[]): Scope[] =>
  roles.some(({ role }) => role === "PLATFORM_ADMIN")
    ? [{}]
    : roles.map(({ university_id, department_id, course_id }) => ({
        university_id,
        ...(department_id !== null && { department_id }),
        ...(course_id !== null && { course_id }),
      }));
