import * as enrollments from "../../../lib/courses/enrollments/enrollments.ts";
import * as seats from "../../../lib/courses/enrollments/seats.ts";
import { badRequest } from "../../../lib/errors.ts";
import { createdOrAccepted, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, signedIn } from "../../../lib/identity/auth/guards.ts";
import { hasPersonIdentifier } from "../../../lib/identity/users/member-names.ts";
import {
  Enrollment,
  EnrollmentCreate,
  EnrollmentQuery,
  EnrollmentUpdate,
} from "../../../schema/api/courses/enrollments.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("enrollment_id");

export const listMyEnrollments = endpoint(
  {
    id: "listMyEnrollments",
    method: "get",
    path: "/my-enrollments",
    summary: "List the caller's enrollments",
    ...signedIn,
    query: EnrollmentQuery,
    ...ok(listOf(Enrollment), "The caller's enrollments of every status, newest first by default"),
  },
  ({ deps, actor, query }) => enrollments.listMyEnrollments(deps.db, actor, query),
);

export const createEnrollment = endpoint(
  {
    id: "createEnrollment",
    method: "post",
    path: "/",
    summary: "Enroll in an offering",
    description:
      "If the offering is full, the status is WAITLISTED; a free seat goes to the person who has " +
      "waited longest. A dropped enrollment is reactivated. A caller without a role in the " +
      "university becomes a student there. A person can hold only one seat in running offerings of a " +
      "course and term, but may be waitlisted for another. The end of an offering, or of the term of " +
      "one without dates, also ends enrollment, except by staff. Staff enroll others by `user_id`, " +
      "`email` or `external_id`. `override` ignores the window, prerequisites, capacity and other seats, and " +
      "is recorded in the audit log. Returns 403 if callers override for themselves. People outside " +
      "the university receive an offer, and their identity is not revealed.",
    ...ownDataOrPermitted("enrollment:manage"),
    scope: "enrollments:write",
    body: EnrollmentCreate,
    ...createdOrAccepted(Enrollment, "The enrollment of the caller or the given person", {
      schema: Offered,
      description: "The offer to a person outside the university; its mail is queued",
    }),
    fails: [400, 403, 404, 429],
  },
  ({ deps, actor, body }) => {
    if (hasPersonIdentifier(body)) return seats.enrollPerson(deps.db, actor, body, deps.now(), deps.config);
    if (actor.key) throw badRequest("api_key_enrolls_others");
    return seats.enroll(deps.db, actor, body, deps.now(), deps.config);
  },
);

export const getEnrollment = endpoint(
  {
    id: "getEnrollment",
    method: "get",
    path: "/{enrollment_id}",
    summary: "Read an enrollment",
    ...signedIn,
    params,
    ...ok(Enrollment, "The caller's enrollment"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => enrollments.getEnrollment(deps.db, actor, params.enrollment_id),
);

export const updateEnrollment = endpoint(
  {
    id: "updateEnrollment",
    method: "put",
    path: "/{enrollment_id}",
    summary: "Update the status of an enrollment",
    description:
      "Learners become ACTIVE under the rules of a new enrollment: open window, met prerequisites " +
      "and a free seat, else WAITLISTED. From WAITLISTED, learners can only change to DROPPED. Staff " +
      "may grant a second seat in a course and term, which the audit log records. COMPLETED set on " +
      "the caller's own enrollment has the `completion_source` SELF, also for staff. It keeps the " +
      "seat, and does not count for prerequisites and reports.",
    ...ownDataOrPermitted("enrollment:manage"),
    scope: "enrollments:write",
    params,
    body: EnrollmentUpdate,
    ...ok(Enrollment, "The updated enrollment"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    seats.updateEnrollment(deps.db, actor, params.enrollment_id, body, deps.now()),
);
