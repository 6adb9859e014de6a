import * as accommodations from "../../../lib/courses/offerings/accommodations.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  Accommodation,
  AccommodationGrant,
  AccommodationQuery,
} from "../../../schema/api/courses/accommodations.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/accommodations";
const university = pathIds("university_id");

const forOffice =
  "Requires the office `accommodation:write` in the university, which no role includes. Returns 403 otherwise.";

export const listAccommodations = endpoint(
  {
    id: "listAccommodations",
    method: "get",
    path: all,
    summary: "List accommodations of a university",
    description: forOffice,
    ...signedIn,
    params: university,
    query: AccommodationQuery,
    ...ok(listOf(Accommodation), "Accommodations by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    accommodations.listAccommodations(deps.db, actor, params.university_id, query),
);

export const grantAccommodation = endpoint(
  {
    id: "grantAccommodation",
    method: "put",
    path: all,
    summary: "Grant extra time to a person",
    description:
      `${forOffice} ` +
      "Changes the person's earlier accommodation: absent fields keep their values, which are 1, 0 and " +
      "null at first. Multiplies time limits, and moves due dates by a number of days. For attempts " +
      "started earlier, the quiz closes later by the added time. Applies to every deadline and immediately to open attempts, and to submitted anonymous work when its grades are " +
      "released. Returns 403 for the caller's own accommodation. The reason is not stored.",
    ...signedIn,
    params: university,
    body: AccommodationGrant,
    ...ok(Accommodation, "The person's accommodation"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    accommodations.grantAccommodation(deps.db, actor, params.university_id, body, deps.now()),
);

export const withdrawAccommodation = endpoint(
  {
    id: "withdrawAccommodation",
    method: "delete",
    path: `${all}/{user_id}`,
    summary: "Withdraw extra time from a person",
    description: `${forOffice} Open attempts keep their end, and work that was on time stays on time.`,
    ...signedIn,
    params: pathIds("university_id", "user_id"),
    ...noContent("Accommodation withdrawn"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => accommodations.withdrawAccommodation(deps.db, actor, params),
);
