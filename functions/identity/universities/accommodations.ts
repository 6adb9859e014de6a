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

export const listAccommodations = endpoint(
  {
    id: "listAccommodations",
    method: "get",
    path: all,
    summary: "List who has more time in a university",
    description:
      "For who holds the office `accommodation:write` there, whatever their roles: 403 to everyone else.",
    ...signedIn,
    params: university,
    query: AccommodationQuery,
    ...ok(listOf(Accommodation), "Numbers by person"),
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
    summary: "Give one of a university's people more time",
    description:
      "In place of what they had. A time limit is so many times as long, and a quiz closes by as much later for an attempt " +
      "that was begun before; what is due is due so many days later. Every deadline is worked out with it, and an attempt " +
      "that is open takes it at once. Nobody gives it to themselves: 403. Why they have it is kept nowhere.",
    ...signedIn,
    params: university,
    body: AccommodationGrant,
    ...ok(Accommodation, "What the person has now"),
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
    summary: "Take back the time that someone was given",
    description: "What is under way keeps its end, and what was on time stays so.",
    ...signedIn,
    params: pathIds("university_id", "user_id"),
    ...noContent("They have no more time than others from now on"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => accommodations.withdrawAccommodation(deps.db, actor, params),
);
