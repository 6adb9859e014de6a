import { dataOf } from "learning-platform-client";
import { useQuery } from "./query.tsx";
import { differsByScope, holdsAt } from "./rights.ts";
import { api } from "./service.ts";
import { authors, usePerson } from "./session.tsx";

/** Whether staff of the course may edit it and finalize its grades. False while unknown. */
export function useAuthorship(course: string): boolean {
  const person = usePerson();
  const isOpen = differsByScope(person.roles);
  const path = { course_id: Number(course) };
  const { value } = useQuery(
    async (signal) => (isOpen ? dataOf(api.getCourse({ params: { path }, signal })) : undefined),
    [course, isOpen],
  );
  if (!isOpen) return authors(person);
  return value !== undefined && holdsAt(person.roles, "INSTRUCTOR", { ...value, course_id: value.id });
}
