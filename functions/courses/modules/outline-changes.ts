import * as changes from "../../../lib/courses/modules/outline-changes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import { OutlineChange, OutlineChanges } from "../../../schema/api/courses/outline-changes.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const changeCourseOutline = endpoint(
  {
    id: "changeCourseOutline",
    method: "post",
    path: "/courses/{course_id}/changes",
    summary: "Publish, hide or date many modules and items",
    description:
      "All that are named, or none: what the course does not have is a 400, and a date that would be due before it opens " +
      "a 422. Dates are set, or those that are there are moved by `shift_days`. A `dry_run` says of each what would become " +
      "of it. The dates that an offering says itself stay (`…/offerings/{offering_id}/dates`).",
    ...may("content:write"),
    params: pathIds("course_id"),
    body: OutlineChange,
    versioned: Course,
    ...ok(OutlineChanges, "What became of each"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    changes.changeOutline(deps.db, actor, params.course_id, body, ifMatch),
);
