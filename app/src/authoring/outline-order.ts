import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { createContext } from "preact";
import type { QueryHookResult } from "../query.tsx";
import { apiClient } from "../service.ts";

type Course = Schemas["Course"];

export type ConflictSafeReorderActions = {
  /** Sends a new order with If-Match. On a conflict `again` reloads the outline. */
  reorder(send: (header: ReturnType<typeof ifMatch>) => Promise<unknown>, again: () => void): Promise<void>;
  /** Reloads the order's version after another change. */
  changed(): Promise<void>;
};

/** The outline's order is versioned with the course, since several authors may change it. */
export const ConflictSafeReorderContext = createContext<ConflictSafeReorderActions>({
  reorder: async () => {},
  changed: async () => {},
});

export function createConflictSafeReorderActions(
  course: Course,
  query: QueryHookResult<Course>,
): ConflictSafeReorderActions {
  const changed = async () =>
    query.set(await dataOf(apiClient.getCourse({ params: { path: { course_id: course.id } } })));
  return {
    changed,
    async reorder(send, again) {
      try {
        await send(ifMatch(course.version));
      } catch (error) {
        again();
        throw error;
      } finally {
        await changed();
      }
    },
  };
}
