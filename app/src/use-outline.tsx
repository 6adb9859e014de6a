import { dataOf, type Schemas } from "learning-platform-client";
import { TextInContentLanguage } from "./markup/text-in-content-language.tsx";
import { type QueryHookResult, useQuery } from "./query.tsx";
import { apiClient } from "./service.ts";

type Outline = Schemas["Outline"];

/** An offering's outline with the caller's progress. `limit` is the number of modules. */
export function useOutline(course: string, offering: string, limit?: number): QueryHookResult<Outline> {
  const path = { course_id: Number(course), offering_id: Number(offering) };
  const query = limit === undefined ? {} : { limit };
  return useQuery(
    (signal) => dataOf(apiClient.getCourseOfferingOutline({ params: { path, query }, signal })),
    [course, offering, limit],
  );
}

/** A module's subtree, or the whole outline if the module is missing. */
export function outlineOfModule(outline: Outline, module: number): Outline {
  const top = outline.modules.find(({ id }) => id === module);
  const below = (parent: number): Outline["modules"] =>
    outline.modules
      .filter(({ parent_module_id }) => parent_module_id === parent)
      .flatMap((one) => [one, ...below(one.id)]);
  return top ? { ...outline, modules: [{ ...top, parent_module_id: null }, ...below(module)] } : outline;
}

/** The course and term, above a heading. */
export function CourseAndTermLine({ outline, withTitle = false }: { outline: Outline; withTitle?: boolean }) {
  const { course, course_offering } = outline;
  return (
    <p class="eyebrow">
      {[course.code, course_offering.term_name].filter(Boolean).join(" · ")}
      {withTitle && " · "}
      {withTitle && <TextInContentLanguage lang={course.language_code}>{course.title}</TextInContentLanguage>}
    </p>
  );
}
