import {
  personAttemptInOfferingCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import { readOfferingOutline } from "../../../lib/courses/offerings/outline.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import { Outline, OutlineQuery } from "../../../schema/api/courses/outline.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const getCourseOfferingOutline = endpoint(
  {
    id: "getCourseOfferingOutline",
    method: "get",
    settles: "grades",
    path: "/{course_id}/offerings/{offering_id}/outline",
    summary: "Read the outline of an offering",
    description:
      "Returns all modules with their items, without `data_json`, with the caller's progress and the " +
      "reason of each lock. Staff also see unpublished parts, and another person's progress with " +
      '`user_id`. If the response would be too large, it ends early with a `Link: rel="next"` header.',
    ...publicOrPermittedTo("course:read-unpublished"),
    params: pathIds("course_id", "offering_id"),
    query: OutlineQuery,
    ...ok(Outline, "The outline"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => {
    const read = () => readOfferingOutline(deps.db, actor, params, query, deps.now());
    const person = query.user_id ?? actor?.id;
    if (person === undefined) return read();
    return readAfterClosingExpiredAttempts(
      deps.db,
      deps.now(),
      personAttemptInOfferingCondition(person, params.offering_id),
      read,
    );
  },
);
