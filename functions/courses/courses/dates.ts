import * as dates from "../../../lib/courses/offerings/dates.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import {
  OfferingDateLine,
  OfferingDatesMove,
  OfferingDatesQuery,
  OfferingDatesUpdate,
} from "../../../schema/api/courses/offering-dates.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const path = "/{course_id}/offerings/{offering_id}/dates";
const params = pathIds("course_id", "offering_id");
const answered = ok(listOf(OfferingDateLine), "Modules and items in the order of the tree");

export const listCourseOfferingDates = endpoint(
  {
    id: "listCourseOfferingDates",
    method: "get",
    path,
    summary: "Read the calendar of an offering",
    description:
      "When each module and item opens and is due there, what the offering says of it, and what the course does. A date " +
      "is what someone is granted, else the offering's, else the course's; of each an item's own, else that of the " +
      "nearest module above it.",
    ...may("enrollment:manage"),
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
    summary: "Set dates of an offering",
    description:
      "Of each item or module that is named all that the offering says of it from then on: a date that is absent is " +
      "left to the course, null is none. Others stay. Work that was handed in late is so no more where the date is " +
      "later now, and attempts that are open go on until then; an earlier one changes neither.",
    ...may("offering:write"),
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
    summary: "Move the calendar of an offering",
    description:
      "All dates that hold there, or those of the modules and items that are named, by calendar days of the university or to another first day. The offering says them " +
      "itself from then on, and the course stays as it is.",
    ...may("offering:write"),
    params,
    body: OfferingDatesMove,
    ...answered,
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => dates.moveOfferingDates(deps.db, actor, params, body, deps.now()),
);
