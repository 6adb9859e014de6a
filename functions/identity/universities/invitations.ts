import * as invitations from "../../../lib/courses/invitations/invitations.ts";
import { createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { Existing } from "../../../lib/platform/results/existing.ts";
import { Invitation, InvitationCreate, InvitationQuery } from "../../../schema/api/courses/invitations.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/invitations";
const single = "/{university_id}/invitations/{invitation_id}";
const university = pathIds("university_id");
const params = pathIds("university_id", "invitation_id");

const mayInvite = may(
  "role:grant",
  "enrollment:manage",
  "role:grant-for-university",
  "role:grant-platform-admin",
);

export const createInvitation = endpoint(
  {
    id: "createInvitation",
    method: "post",
    path: all,
    summary: "Invite someone by e-mail address",
    description:
      "To a role, a place in an offering, or both; it takes the right to grant the one and to enroll in the other. A " +
      "mail has a link that is good for seven days. It is also accepted by the first sign-in of a person whose address " +
      "was verified. Whoever made it has to be allowed to still, then; the window and the prerequisites of the " +
      "offering hold, and in a full one the person waits.",
    ...mayInvite,
    scope: "people:write",
    params: university,
    body: InvitationCreate,
    ...createdOrFound(
      Invitation,
      "The invitation, whose mail is on its way",
      "The same offer that was open already: it is renewed and sent again",
    ),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["does_not_exist", "university_inactive"], 429: ["too_often"] },
  },
  async ({ deps, actor, params, body }) => {
    const made = await invitations.invite(
      deps.db,
      actor,
      params.university_id,
      body,
      deps.now(),
      deps.config,
    );
    return made.isNew ? made.invitation : new Existing(made.invitation);
  },
);

export const listInvitations = endpoint(
  {
    id: "listInvitations",
    method: "get",
    path: all,
    summary: "List the invitations into a university",
    description: "Those that the caller could make themselves, newest first.",
    ...may("invitation:read"),
    scope: "people:read",
    params: university,
    query: InvitationQuery,
    ...ok(listOf(Invitation), "Invitations, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    invitations.listInvitations(deps.db, actor, params.university_id, query, deps.now()),
);

export const sendInvitationAgain = endpoint(
  {
    id: "sendInvitationAgain",
    method: "post",
    path: `${single}/send`,
    summary: "Send an invitation again",
    description:
      "It counts in the caller's name from now on, for seven days; an earlier link is good no more.",
    ...mayInvite,
    params,
    ...ok(Invitation, "The invitation, whose mail is on its way"),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["university_inactive"], 429: ["too_often"] },
  },
  ({ deps, actor, params }) =>
    invitations.sendInvitationAgain(deps.db, actor, params, deps.now(), deps.config),
);

export const revokeInvitation = endpoint(
  {
    id: "revokeInvitation",
    method: "delete",
    path: single,
    summary: "Revoke an invitation",
    ...mayInvite,
    params,
    ...noContent("Revoked: its link is good no more"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => invitations.revokeInvitation(deps.db, actor, params, deps.now()),
);
