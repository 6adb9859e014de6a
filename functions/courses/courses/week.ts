import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { readOfferingWeek } from "../../../lib/operations/home/week.ts";
import { OfferingWeek } from "../../../schema/api/operations/teaching.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const getCourseOfferingWeek = endpoint(
  {
    id: "getCourseOfferingWeek",
    method: "get",
    path: "/{course_id}/offerings/{offering_id}/week",
    summary: "Read the week of an offering",
    description:
      "Covers the current week in the university's calendar: due work and submissions, learners inactive " +
      "for a week, new and unanswered questions, and tutor conversations.",
    ...permittedTo("submission:read", "discussion:moderate"),
    scope: "people:read",
    params: pathIds("course_id", "offering_id"),
    ...ok(OfferingWeek, "The week"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => readOfferingWeek(deps.db, actor, params, deps.now()),
);
