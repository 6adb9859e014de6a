import * as offers from "../../../lib/courses/invitations/my-offers.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { Offer, OfferQuery } from "../../../schema/api/courses/offers.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("offer_id");

export const listMyOffers = endpoint(
  {
    id: "listMyOffers",
    method: "get",
    path: "/me/offers",
    summary: "List the caller's offers",
    description:
      "Open offers of roles, and of seats as learner or staff. Empty until the address of the caller is " +
      "verified: use the mailed link until then.",
    ...signedIn,
    query: OfferQuery,
    ...ok(listOf(Offer), "Open offers, newest first"),
  },
  ({ deps, actor, query }) => offers.listMyOffers(deps.db, actor, query, deps.now()),
);

export const acceptMyOffer = endpoint(
  {
    id: "acceptMyOffer",
    method: "post",
    path: "/me/offers/{offer_id}/accept",
    summary: "Accept an offer",
    description:
      "The offer is granted completely or not at all. The person who made the offer must still have " +
      "the right to grant it.",
    ...signedIn,
    params,
    ...ok(Offer, "The accepted offer"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => offers.acceptMyOffer(deps.db, actor, params.offer_id, deps.now(), deps.config),
);

export const declineMyOffer = endpoint(
  {
    id: "declineMyOffer",
    method: "post",
    path: "/me/offers/{offer_id}/decline",
    summary: "Decline an offer",
    description: "Invalidates the mailed link. Imports do not make the same offer again.",
    ...signedIn,
    params,
    ...ok(Offer, "The declined offer"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => offers.declineMyOffer(deps.db, actor, params.offer_id, deps.now()),
);
