import * as listing from "../../../lib/courses/offerings/listing.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publishedOr } from "../../../lib/identity/auth/guards.ts";
import { ListedOffering, OfferingQuery } from "../../../schema/api/courses/offerings.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const listOfferings = endpoint(
  {
    id: "listOfferings",
    method: "get",
    path: "/",
    summary: "List the offerings of all courses",
    description:
      "Of courses that the caller may see; private ones for staff, their instructors and the enrolled only.",
    ...publishedOr("course:read-unpublished"),
    query: OfferingQuery,
    ...ok(listOf(ListedOffering), "Offerings in the order that is asked for, by id unless another is"),
  },
  ({ deps, actor, query }) => listing.listOfferings(deps.db, actor, query, deps.now()),
);
