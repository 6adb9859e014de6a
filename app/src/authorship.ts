import { dataOf } from "learning-platform-client";
import { useQuery } from "./query.tsx";
import { hasRoleAt, rolesDifferByCourse } from "./rights.ts";
import { api } from "./service.ts";
import { isAuthor, usePerson } from "./session.tsx";

/** Whether staff of the course may edit it and finalize its grades. False while unknown. */
export function useMayEditCourse(course: string): boolean {
  const person = usePerson();
  const isOpen = rolesDifferByCourse(person.roles);
  const path = { course_id: Number(course) };
  const { value } = useQuery(
    async (signal) => (isOpen ? dataOf(api.getCourse({ params: { path }, signal })) : undefined),
    [course, isOpen],
  );
  if (!isOpen) return isAuthor(person);
  return value !== undefined && hasRoleAt(person.roles, "INSTRUCTOR", { ...value, course_id: value.id });
}
