import * as changes from "../../../lib/courses/modules/outline-changes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import { OutlineChange, OutlineChanges } from "../../../schema/api/courses/outline-changes.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const changeCourseOutline = endpoint(
  {
    id: "changeCourseOutline",
    method: "post",
    path: "/courses/{course_id}/changes",
    summary: "Update many modules and items",
    description:
      "Publishes, hides or dates all listed modules and items, or none. Sets dates, or moves existing " +
      "ones by `shift_days`. With `dry_run`, returns the outcome without writing. Returns 400 if the " +
      "course lacks an entry, and 422 if a due date precedes an opening date. Dates set by offerings " +
      "stay: use `…/offerings/{offering_id}/dates`.",
    ...permittedTo("content:write"),
    params: pathIds("course_id"),
    body: OutlineChange,
    versioned: Course,
    ...ok(OutlineChanges, "The outcome for each entry"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    changes.changeOutlineVisibilityAndDates(deps.db, actor, params.course_id, body, ifMatch),
);
