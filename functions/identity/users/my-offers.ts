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
    summary: "List what universities offer to the caller",
    description:
      "Roles, and places to learn or to teach, that are open. While the caller's address is not verified there are none " +
      "here: what is offered to it is accepted by the link of its mail alone.",
    ...signedIn,
    query: OfferQuery,
    ...ok(listOf(Offer), "What can be accepted, newest first"),
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
      "What it offers is given as a whole or not at all, in the name of who made it, who has to be allowed to still.",
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
    description:
      "Nothing is given, the link of its mail is good no more, and no import offers the same again.",
    ...signedIn,
    params,
    ...ok(Offer, "The declined offer"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => offers.declineMyOffer(deps.db, actor, params.offer_id, deps.now()),
);
