import * as listing from "../../../lib/courses/offerings/listing.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import { ListedOffering, OfferingQuery } from "../../../schema/api/courses/offerings.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const listOfferings = endpoint(
  {
    id: "listOfferings",
    method: "get",
    path: "/",
    summary: "List offerings of all courses",
    description:
      "Covers courses visible to the caller. Private offerings appear only for staff, their instructors " +
      "and enrolled people.",
    ...publicOrPermittedTo("course:read-unpublished"),
    query: OfferingQuery,
    ...ok(listOf(ListedOffering), "Offerings, by id by default"),
  },
  ({ deps, actor, query }) => listing.listOfferings(deps.db, actor, query, deps.now()),
);
