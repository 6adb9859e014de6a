import * as invitations from "../../../lib/courses/invitations/accept-invitation.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { Invitation, InvitationAcceptance } from "../../../schema/api/courses/invitations.ts";

export const acceptMyInvitation = endpoint(
  {
    id: "acceptMyInvitation",
    method: "post",
    path: "/me/invitations/accept",
    summary: "Accept an invitation",
    description:
      "Send the token of the mail. The account must have the invited address, which this verifies. " +
      "The invitation is granted completely or not at all.",
    ...signedIn,
    body: InvitationAcceptance,
    ...ok(Invitation, "The accepted invitation"),
    fails: [400],
  },
  ({ deps, actor, body }) =>
    invitations.acceptInvitation(deps.db, actor, body.token, deps.now(), deps.config),
);
