import * as staff from "../../../lib/courses/offerings/staff.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List whom LMSs have made staff of an offering",
    description:
      "They have its people and their work, in this offering alone. Whom the university named is in `/courses/{course_id}/offerings/{offering_id}/instructors`.",
    ...may("enrollment:manage"),
    params: pathIds("offering_id"),
    query: OfferingStaffQuery,
    ...ok(listOf(OfferingStaff), "Those who were removed among them, the first first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => staff.listStaff(deps.db, actor, params.offering_id, query),
);

export const updateOfferingStaff = endpoint(
  {
    id: "updateOfferingStaff",
    method: "put",
    path: `${all}/{offering_staff_id}`,
    summary: "Remove someone whom an LMS made staff of an offering, or let them be staff again",
    description:
      "Whoever is removed is staff no more at once, and no launch and no roster makes them staff again.",
    ...may("offering:write"),
    params: pathIds("offering_id", "offering_staff_id"),
    body: OfferingStaffUpdate,
    ...ok(OfferingStaff, "As they are then"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => staff.updateStaff(deps.db, actor, params, body),
);
