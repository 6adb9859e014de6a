import * as invitations from "../../../lib/courses/invitations/accept-invitation.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { issueTokenPairAndCookies } from "../../../lib/http/sign-in.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import { InvitationAcceptanceAnew } from "../../../schema/api/courses/invitations.ts";
import { TokenPair } from "../../../schema/api/identity/auth.ts";

export const acceptInvitationAnew = endpoint(
  {
    id: "acceptInvitationAnew",
    method: "post",
    path: "/invitations/accept",
    summary: "Accept an invitation by registering",
    description:
      "Registers an account and signs in. The mail's token verifies the address. If you have an account, " +
      "sign in and use `POST /users/me/invitations/accept` instead. If any part of the invitation cannot " +
      "be granted, the request is rejected and no account is created.",
    ...anyone,
    shares: "processor",
    setsCookies: true,
    body: InvitationAcceptanceAnew,
    ...created(TokenPair, "Tokens of the new account"),
    fails: [400, 403],
  },
  async (call) => {
    const { deps, body } = call;
    return issueTokenPairAndCookies(
      call,
      await invitations.acceptInvitationWithNewAccount(deps.db, deps.config, body, deps.now()),
    );
  },
);
