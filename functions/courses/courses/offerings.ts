import {
  attemptInOfferingCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import * as listing from "../../../lib/courses/offerings/listing.ts";
import * as offerings from "../../../lib/courses/offerings/offerings.ts";
import * as roster from "../../../lib/courses/offerings/roster.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  CourseOfferingQuery,
  Offering,
  OfferingCreate,
  OfferingUpdate,
  RosterEntry,
  RosterQuery,
} from "../../../schema/api/courses/offerings.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{course_id}/offerings";
const single = "/{course_id}/offerings/{offering_id}";
const course = pathIds("course_id");
const params = pathIds("course_id", "offering_id");

export const listCourseOfferings = endpoint(
  {
    id: "listCourseOfferings",
    method: "get",
    path: all,
    changesSeldom: true,
    summary: "List offerings of a course",
    description: "Private offerings appear only for staff, their instructors and enrolled people.",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: course,
    query: CourseOfferingQuery,
    ...ok(listOf(Offering), "Offerings, by id by default"),
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    listing.listOfferingsInCourse(deps.db, actor, params.course_id, query, deps.now()),
);

export const createCourseOffering = endpoint(
  {
    id: "createCourseOffering",
    method: "post",
    path: all,
    summary: "Create an offering",
    ...permittedTo("offering:create"),
    params: course,
    body: OfferingCreate,
    ...created(Offering, "The new offering"),
    fails: [400, 403, 404],
    refuses: { 400: ["does_not_exist"] },
  },
  ({ deps, actor, params, body }) => offerings.createOffering(deps.db, actor, params.course_id, body),
);

export const getCourseOffering = endpoint(
  {
    id: "getCourseOffering",
    method: "get",
    path: single,
    changesSeldom: true,
    summary: "Read an offering",
    ...publicOrPermittedTo("course:read-unpublished"),
    params,
    ...ok(Offering, "The offering"),
    fails: [404],
  },
  ({ deps, actor, params }) => offerings.getOffering(deps.db, actor, params),
);

export const updateCourseOffering = endpoint(
  {
    id: "updateCourseOffering",
    method: "put",
    path: single,
    summary: "Update an offering",
    description:
      "A larger capacity gives seats to the waiting list, while enrollment is open and the offering has " +
      "not ended.",
    ...permittedTo("offering:write"),
    params,
    body: OfferingUpdate,
    ...ok(Offering, "The updated offering"),
    fails: [400, 403, 404],
    refuses: { 400: ["does_not_exist"] },
  },
  ({ deps, actor, params, body }) => offerings.updateOffering(deps.db, actor, params, body, deps.now()),
);

export const deleteCourseOffering = endpoint(
  {
    id: "deleteCourseOffering",
    method: "delete",
    path: single,
    summary: "Delete an offering without enrollments",
    ...permittedTo("offering:delete"),
    params,
    ...noContent("Deleted"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => offerings.deleteOffering(deps.db, actor, params),
);

export const listCourseOfferingEnrollments = endpoint(
  {
    id: "listCourseOfferingEnrollments",
    method: "get",
    settles: "grades",
    path: `${single}/enrollments`,
    summary: "List enrollments of an offering",
    description: "Waitlisted people are in the order in which they receive a seat.",
    ...permittedTo("roster:read"),
    scope: "people:read",
    params,
    query: RosterQuery,
    ...ok(listOf(RosterEntry), "Enrollments, by status and enrolled_at by default", {
      "text/csv":
        "user_id,external_id,full_name,given_name,family_name,email,status,enrolled_at,completed_at,progress_percent,completed_items,last_activity_at\r\n7,s-1815,Ada Lovelace,Ada,Lovelace,ada@example.edu,ACTIVE,2026-03-01T12:00:00.000Z,,40,2,2026-03-05T12:00:00.000Z\r\n",
    }),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    readAfterClosingExpiredAttempts(
      deps.db,
      deps.now(),
      attemptInOfferingCondition(params.offering_id),
      async () => {
        const listed = await roster.listRoster(deps.db, actor, params, query, deps.now());
        return query.format === "json" ? listed : roster.rosterCsv(listed);
      },
    ),
);
