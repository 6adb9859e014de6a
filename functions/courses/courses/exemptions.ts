import * as exemptions from "../../../lib/courses/enrollments/exemptions.ts";
import { createdOrAccepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Exemption, ExemptionCreate, ExemptionQuery } from "../../../schema/api/courses/exemptions.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{course_id}/exemptions";
const course = pathIds("course_id");

export const listCourseExemptions = endpoint(
  {
    id: "listCourseExemptions",
    method: "get",
    path: all,
    summary: "List exemptions from prerequisites",
    ...permittedTo("exemption:manage"),
    scope: "people:read",
    params: course,
    query: ExemptionQuery,
    ...ok(listOf(Exemption), "Exemptions, by id"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => exemptions.listExemptions(deps.db, actor, params.course_id, query),
);

export const grantCourseExemption = endpoint(
  {
    id: "grantCourseExemption",
    method: "post",
    path: all,
    summary: "Grant an exemption from a prerequisite",
    description:
      "Callers cannot exempt themselves. People outside the university receive an offer. The exemption " +
      "lasts while the course has the prerequisite, and is recorded in the audit log.",
    ...permittedTo("exemption:manage"),
    scope: "enrollments:write",
    params: course,
    body: ExemptionCreate,
    ...createdOrAccepted(Exemption, "The new exemption", {
      schema: Offered,
      description: "The offer, created or renewed; its mail is queued",
    }),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["already_taken", "university_inactive"], 429: ["too_often"] },
  },
  ({ deps, actor, params, body }) =>
    exemptions.grantExemption(deps.db, actor, params.course_id, body, deps.config),
);

export const revokeCourseExemption = endpoint(
  {
    id: "revokeCourseExemption",
    method: "delete",
    path: `${all}/{exemption_id}`,
    summary: "Revoke an exemption from a prerequisite",
    ...permittedTo("exemption:manage"),
    scope: "enrollments:write",
    params: pathIds("course_id", "exemption_id"),
    ...noContent("Revoked"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    exemptions.revokeExemption(deps.db, actor, params.course_id, params.exemption_id),
);
