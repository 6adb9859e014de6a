import * as enrollments from "../../../lib/courses/enrollments/enrollments.ts";
import * as seats from "../../../lib/courses/enrollments/seats.ts";
import { badRequest } from "../../../lib/errors.ts";
import { createdOrAccepted, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
import { namesAnyone } from "../../../lib/identity/users/name-there.ts";
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
    ...ok(
      listOf(Enrollment),
      "The caller's enrollments of every status, newest first unless asked otherwise",
    ),
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
      "A full offering gives the status WAITLISTED: as seats free, they go to who has waited longest. " +
      "A dropped enrollment is taken up again. Whoever has no role in the university becomes a student there. " +
      "Nobody has seats in two offerings of a course in the same term, which have not ended: beside one they may wait. " +
      "The staff of the course enroll others, by `user_id`, `email` or `external_id`, and with `override` past the window, the " +
      "prerequisites, the capacity and a seat elsewhere; the audit log is told. Who is not " +
      "the university's own person is offered the place, and nobody is told who they are. Whoever names " +
      "themselves overrides nothing: 403.",
    ...ownOr("enrollment:manage"),
    scope: "enrollments:write",
    body: EnrollmentCreate,
    ...createdOrAccepted(Enrollment, "The caller's enrollment, or that of the person who was named", {
      schema: Offered,
      description:
        "The offer of the place to someone who is not the university's own person, whose mail is on its way",
    }),
    fails: [400, 403, 404, 429],
  },
  ({ deps, actor, body }) => {
    if (namesAnyone(body)) return seats.enrollPerson(deps.db, actor, body, deps.now(), deps.config);
    if (actor.key) throw badRequest("api_key_enrolls_others");
    return seats.enroll(deps.db, actor, body, deps.now(), deps.config);
  },
);

export const getEnrollment = endpoint(
  {
    id: "getEnrollment",
    method: "get",
    path: "/{enrollment_id}",
    summary: "Read one of the caller's enrollments",
    ...signedIn,
    params,
    ...ok(Enrollment, "The enrollment"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => enrollments.getEnrollment(deps.db, actor, params.enrollment_id),
);

export const updateEnrollment = endpoint(
  {
    id: "updateEnrollment",
    method: "put",
    path: "/{enrollment_id}",
    summary: "Change the status of an enrollment",
    description:
      "For its owner and the university's staff. The owner becomes ACTIVE only as if enrolling anew: " +
      "within the enrollment window, with the prerequisites met, and while there is a free seat; who has none waits for " +
      "one under the same rules. Staff may give a second seat in a course and term, of which the audit log is told. From WAITLISTED they go to DROPPED alone. A COMPLETED of their own has the `completion_source` SELF and counts for nothing, also where they are staff.",
    ...ownOr("enrollment:manage"),
    scope: "enrollments:write",
    params,
    body: EnrollmentUpdate,
    ...ok(Enrollment, "The changed enrollment"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    seats.updateEnrollment(deps.db, actor, params.enrollment_id, body, deps.now()),
);
