import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { weekOf } from "../../../lib/operations/home/week.ts";
import { OfferingWeek } from "../../../schema/api/operations/teaching.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const getCourseOfferingWeek = endpoint(
  {
    id: "getCourseOfferingWeek",
    method: "get",
    path: "/{course_id}/offerings/{offering_id}/week",
    summary: "Read an offering's week at a glance",
    description:
      "For its staff: what is due in the week that it is by the university's calendar, and how many have handed it in; who " +
      "has not been seen for a week; new questions, and those without an answer; and conversations with the tutor.",
    ...may("submission:read", "discussion:moderate"),
    scope: "people:read",
    params: pathIds("course_id", "offering_id"),
    ...ok(OfferingWeek, "The week"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => weekOf(deps.db, actor, params, deps.now()),
);
