import * as invitations from "../../../lib/courses/invitations/accept-invitation.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { signIn } from "../../../lib/http/sign-in.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { InvitationAcceptanceAnew } from "../../../schema/api/courses/invitations.ts";
import { TokenPair } from "../../../schema/api/identity/auth.ts";

export const acceptInvitationAnew = endpoint(
  {
    id: "acceptInvitationAnew",
    method: "post",
    path: "/invitations/accept",
    summary: "Accept an invitation with a new account, and sign in",
    description:
      "The token of the mail shows that the address is the person's: it is verified, and needs no further mail. Whoever " +
      "has an account signs in, and accepts by `POST /users/me/invitations/accept`. What cannot be given as a whole is " +
      "refused, and then there is no account either.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    body: InvitationAcceptanceAnew,
    ...created(TokenPair, "The tokens of the new account"),
    fails: [400, 403],
  },
  async (call) => {
    const { deps, body } = call;
    return signIn(call, await invitations.acceptInvitationAnew(deps.db, deps.config, body, deps.now()));
  },
);
