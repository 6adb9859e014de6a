import type { Schemas } from "learning-platform-client";

type Held = Schemas["OwnRole"];

/** Ascending. A role includes the rights of all lower ones. */
const ranks: Held["role"][] = [
  ...(["STUDENT", "TA", "INSTRUCTOR", "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN", "PLATFORM_ADMIN"] as const),
];

export type RoleScope = { university_id: number; department_id: number | null; course_id?: number };

/**
 * Whether the roles include this one or a higher one for the entity. The service enforces rights; this only
 * hides what it would reject.
 */
export const hasRoleOrHigherAt = (roles: readonly Held[], least: Held["role"], scope: RoleScope): boolean =>
  roles.some(
    (held) =>
      held.role === "PLATFORM_ADMIN" ||
      (ranks.indexOf(held.role) >= ranks.indexOf(least) && countsAt(held, scope)),
  );

/** Whether the role edits courses. Teaching assistants do not. */
export const isAuthorRole = ({ role }: Held): boolean => ranks.indexOf(role) >= ranks.indexOf("INSTRUCTOR");

/** Whether rights differ by course: the person is an author in some and an assistant in others. */
export const hasAuthorAndAssistantRoles = (roles: readonly Held[]): boolean =>
  roles.some(isAuthorRole) && roles.some(({ role }) => role === "TA");

function countsAt({ university_id, department_id, course_id }: Held, scope: RoleScope): boolean {
  if (course_id !== null) return course_id === scope.course_id;
  if (university_id !== scope.university_id) return false;
  return department_id === null || department_id === scope.department_id;
}
