import * as dates from "../../../lib/courses/offerings/dates.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  OfferingDateLine,
  OfferingDatesMove,
  OfferingDatesQuery,
  OfferingDatesUpdate,
} from "../../../schema/api/courses/offering-dates.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const path = "/{course_id}/offerings/{offering_id}/dates";
const params = pathIds("course_id", "offering_id");
const answered = ok(listOf(OfferingDateLine), "Modules and items in tree order");

export const listCourseOfferingDates = endpoint(
  {
    id: "listCourseOfferingDates",
    method: "get",
    path,
    summary: "Read the dates of an offering",
    description:
      "Returns when each module and item opens and is due, with the dates set by the offering and by the " +
      "course. Individual dates take precedence over the offering's, and those over the course's. At each " +
      "level, an item's own date precedes that of the nearest module above it.",
    ...permittedTo("enrollment:manage"),
    params,
    query: OfferingDatesQuery,
    ...answered,
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => dates.listOfferingDates(deps.db, actor, params, query),
);

export const setCourseOfferingDates = endpoint(
  {
    id: "setCourseOfferingDates",
    method: "put",
    path,
    summary: "Set the dates of an offering",
    description:
      "Replaces all dates that the offering sets for each listed item or module. An absent date is " +
      "inherited from the course, null means none. Unlisted entries stay. With a later due date, late " +
      "submissions become timely and open attempts continue until then. An earlier date changes neither.",
    ...permittedTo("offering:write"),
    params,
    body: OfferingDatesUpdate,
    ...answered,
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => dates.setOfferingDates(deps.db, actor, params, body, deps.now()),
);

export const moveCourseOfferingDates = endpoint(
  {
    id: "moveCourseOfferingDates",
    method: "post",
    path: `${path}/move`,
    summary: "Shift the dates of an offering",
    description:
      "Moves all effective dates, or those of the listed modules and items. Shifts by calendar days of " +
      "the university, or to a new first day. The offering then sets these dates itself; the course does " +
      "not change.",
    ...permittedTo("offering:write"),
    params,
    body: OfferingDatesMove,
    ...answered,
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => dates.shiftOfferingDates(deps.db, actor, params, body, deps.now()),
);
