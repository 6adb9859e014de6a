import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { createContext } from "preact";
import type { Query } from "../query.tsx";
import { api } from "../service.ts";

type Course = Schemas["Course"];

export type OutlineOrder = {
  /** Gives an outline another order, if it still has the one that is shown; else `again` reads what it has. */
  reorder(send: (header: ReturnType<typeof ifMatch>) => Promise<unknown>, again: () => void): Promise<void>;
  /** Reads the order's version after it was changed in another way. */
  changed(): Promise<void>;
};

/** The order of the outline around, which several people may change: it has its course's version. */
export const OutlineOrderContext = createContext<OutlineOrder>({
  reorder: async () => {},
  changed: async () => {},
});

export function outlineOrderOf(course: Course, query: Query<Course>): OutlineOrder {
  const changed = async () =>
    query.set(await dataOf(api.getCourse({ params: { path: { course_id: course.id } } })));
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
