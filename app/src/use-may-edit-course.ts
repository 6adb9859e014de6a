import { dataOf } from "learning-platform-client";
import { useQuery } from "./query.tsx";
import { hasAuthorAndAssistantRoles, hasRoleOrHigherAt } from "./role-checks.ts";
import { apiClient } from "./service.ts";
import { hasAuthorRole, useCurrentUser } from "./session.tsx";

/** Whether staff of the course may edit it and finalize its grades. False while unknown. */
export function useMayEditCourse(course: string): boolean {
  const person = useCurrentUser();
  const isOpen = hasAuthorAndAssistantRoles(person.roles);
  const path = { course_id: Number(course) };
  const { value } = useQuery(
    async (signal) => (isOpen ? dataOf(apiClient.getCourse({ params: { path }, signal })) : undefined),
    [course, isOpen],
  );
  if (!isOpen) return hasAuthorRole(person);
  return (
    value !== undefined && hasRoleOrHigherAt(person.roles, "INSTRUCTOR", { ...value, course_id: value.id })
  );
}
