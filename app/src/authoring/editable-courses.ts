import { allOf, type Schemas } from "learning-platform-client";
import { apiClient } from "../service.ts";
import { authorScopeFilters } from "../staff-scopes.ts";

type Course = Schemas["CourseSummary"];

/**
 * Courses that the person may edit, by title. The API has no filter for a single course, so the university's
 * list is searched.
 */
export async function fetchEditableCourses(
  roles: readonly Schemas["OwnRole"][],
  q: string,
  signal: AbortSignal,
): Promise<Course[]> {
  const asked = authorScopeFilters(roles).map(async ({ course_id, ...scope }) => {
    const query = { ...scope, ...(q && { q }), limit: 1000, sort: "title" as const };
    const found = await allOf(apiClient.listCourses, { params: { query }, signal });
    return found.filter(({ id }) => course_id === undefined || id === course_id);
  });
  const found = (await Promise.all(asked)).flat();
  return [...new Map(found.map((one) => [one.id, one])).values()];
}
