import type { Schemas } from "learning-platform-client";

type Held = Schemas["OwnRole"];

/** From the least to the highest; a higher one may all that a lower one may. */
const ranks: Held["role"][] = [
  ...(["STUDENT", "TA", "INSTRUCTOR", "DEPARTMENT_ADMIN", "UNIVERSITY_ADMIN", "PLATFORM_ADMIN"] as const),
];

/** Where a thing belongs: its university and department, and the course that it is or is in. */
export type Scope = { university_id: number; department_id: number | null; course_id?: number };

/**
 * Whether someone has that role or a higher one for a thing: for all of its university, for its department, or for its
 * course alone. The service decides; this is for not offering what it would refuse.
 */
export const holdsAt = (roles: readonly Held[], least: Held["role"], scope: Scope): boolean =>
  roles.some(
    (held) =>
      held.role === "PLATFORM_ADMIN" ||
      (ranks.indexOf(held.role) >= ranks.indexOf(least) && countsAt(held, scope)),
  );

/** Whether someone writes courses: teaching assistants teach what others have written. */
export const authorsBy = ({ role }: Held): boolean => ranks.indexOf(role) >= ranks.indexOf("INSTRUCTOR");

/** Whether someone writes in one course and assists in another, so that only a course tells what they may there. */
export const differsByScope = (roles: readonly Held[]): boolean =>
  roles.some(authorsBy) && roles.some(({ role }) => role === "TA");

function countsAt({ university_id, department_id, course_id }: Held, scope: Scope): boolean {
  if (course_id !== null) return course_id === scope.course_id;
  if (university_id !== scope.university_id) return false;
  return department_id === null || department_id === scope.department_id;
}
