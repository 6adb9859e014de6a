import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { apiClient } from "../service.ts";

type Module = Schemas["OutlineModule"];

/** The course tree as learners see it, with unpublished parts. Uses the latest offering's dates if there is one. */
export async function fetchOutlineAsLearner(course: number, signal: AbortSignal): Promise<Module[]> {
  const path = { course_id: course };
  const query = { sort: "-starts_at" as const, limit: 1 };
  const [latest] = await dataOf(apiClient.listCourseOfferings({ params: { path, query }, signal }));
  if (!latest) return writtenOutline(course, signal);
  const there = { ...path, offering_id: latest.id };
  return (await dataOf(apiClient.getCourseOfferingOutline({ params: { path: there }, signal }))).modules;
}

/** Concurrent requests for module items. Hundreds would crowd out others on the same network. */
const maxConcurrentModuleRequests = 6;

async function writtenOutline(course: number, signal: AbortSignal): Promise<Module[]> {
  const modules = await allOf(apiClient.listCourseModules, {
    params: { path: { course_id: course } },
    signal,
  });
  const seen: Module[] = [];
  for (let from = 0; from < modules.length; from += maxConcurrentModuleRequests) {
    const next = modules
      .slice(from, from + maxConcurrentModuleRequests)
      .map((module) => withItems(module, signal));
    seen.push(...(await Promise.all(next)));
  }
  return seen;
}

async function withItems(module: Schemas["CourseModule"], signal: AbortSignal): Promise<Module> {
  const params = { path: { module_id: module.id }, query: { fields: "summary" as const } };
  const items = await dataOf(apiClient.listModuleContent({ params, signal }));
  return { ...module, ...untouched, computed_percent: null, items: items.map(asSeen) };
}

/** No progress and no lock. */
const untouched = { completed_at: null, lock: null };

const asSeen = (item: Schemas["ListedContentItem"]): Schemas["OutlineItem"] => ({
  ...untouched,
  ...item,
  content_type: item.content_type.name,
  progress_percent: 0,
  last_interacted_at: null,
  submission: null,
  attempt: null,
});
