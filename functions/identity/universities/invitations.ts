import * as invitations from "../../../lib/courses/invitations/invitations.ts";
import { createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { ExistingResult } from "../../../lib/platform/results/existing.ts";
import { Invitation, InvitationCreate, InvitationQuery } from "../../../schema/api/courses/invitations.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/invitations";
const single = "/{university_id}/invitations/{invitation_id}";
const university = pathIds("university_id");
const params = pathIds("university_id", "invitation_id");

const mayInvite = permittedTo(
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
    summary: "Invite a person by email",
    description:
      "Invites to a role, a seat in an offering, or both. The caller needs the right to grant the role " +
      "and to enroll in the offering. The mailed link is valid for seven days. The first sign-in with a " +
      "verified address also accepts it. On acceptance, the inviter must still have these rights, and the " +
      "offering's enrollment window and prerequisites apply. If the offering is full, the person joins " +
      "the waiting list.",
    ...mayInvite,
    scope: "people:write",
    params: university,
    body: InvitationCreate,
    ...createdOrFound(
      Invitation,
      "The invitation; its mail is queued",
      "The same offer was already open: it is renewed and mailed again",
    ),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["does_not_exist", "university_inactive"], 429: ["too_often"] },
  },
  async ({ deps, actor, params, body }) => {
    const made = await invitations.createOrRenewInvitation(
      deps.db,
      actor,
      params.university_id,
      body,
      deps.now(),
      deps.config,
    );
    return made.isNew ? made.invitation : new ExistingResult(made.invitation);
  },
);

export const listInvitations = endpoint(
  {
    id: "listInvitations",
    method: "get",
    path: all,
    summary: "List invitations of a university",
    description: "Only invitations that the caller could create, newest first.",
    ...permittedTo("invitation:read"),
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
    summary: "Resend an invitation",
    description:
      "The invitation is now in the caller's name and valid for seven days. Earlier links become invalid.",
    ...mayInvite,
    params,
    ...ok(Invitation, "The invitation; its mail is queued"),
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
    ...noContent("Revoked; its link is no longer valid"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => invitations.revokeInvitation(deps.db, actor, params, deps.now()),
);
