import { dataOf } from "learning-platform-client";
import { useQuery } from "./query.tsx";
import { differsByScope, holdsAt } from "./rights.ts";
import { api } from "./service.ts";
import { authors, usePerson } from "./session.tsx";

/** Whether whoever is staff of a course may write it, and finish what is graded there; not until that is known. */
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
