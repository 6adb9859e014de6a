import * as staff from "../../../lib/courses/offerings/lti-offering-staff.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  OfferingStaff,
  OfferingStaffQuery,
  OfferingStaffUpdate,
} from "../../../schema/api/courses/offering-staff.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{offering_id}/staff";

export const listOfferingStaff = endpoint(
  {
    id: "listOfferingStaff",
    method: "get",
    path: all,
    summary: "List LMS staff of an offering",
    description:
      "People whom an LMS made staff. They have access to the people and work of this offering only. For " +
      "instructors of the university, use `/courses/{course_id}/offerings/{offering_id}/instructors`.",
    ...permittedTo("enrollment:manage"),
    params: pathIds("offering_id"),
    query: OfferingStaffQuery,
    ...ok(listOf(OfferingStaff), "LMS staff including removed people, oldest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => staff.listStaff(deps.db, actor, params.offering_id, query),
);

export const updateOfferingStaff = endpoint(
  {
    id: "updateOfferingStaff",
    method: "put",
    path: `${all}/{offering_staff_id}`,
    summary: "Remove or restore LMS staff",
    description: "Removal takes effect immediately. Launches and rosters do not restore removed staff.",
    ...permittedTo("offering:write"),
    params: pathIds("offering_id", "offering_staff_id"),
    body: OfferingStaffUpdate,
    ...ok(OfferingStaff, "The updated staff member"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => staff.removeOrRestoreStaff(deps.db, actor, params, body),
);
