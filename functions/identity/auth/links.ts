import { accepted, endpoint, noContent } from "../../../lib/http/endpoint.ts";
import * as email from "../../../lib/identity/accounts/email.ts";
import * as passwords from "../../../lib/identity/accounts/passwords.ts";
import * as tokens from "../../../lib/identity/accounts/tokens.ts";
import { clearAuthCookies } from "../../../lib/identity/auth/cookies.ts";
import { anyone, maybeSignedIn, signedInWholly } from "../../../lib/identity/auth/guards.ts";
import {
  EmailVerification,
  MailNoted,
  PasswordReset,
  PasswordResetRequest,
} from "../../../schema/api/identity/accounts.ts";

export const logoutEverywhere = endpoint(
  {
    id: "logoutEverywhere",
    method: "post",
    path: "/logout-everywhere",
    summary: "End all tokens of the caller, on every device",
    ...signedInWholly,
    setsCookies: true,
    ...noContent("All tokens have ended, and the cookies are cleared"),
  },
  async ({ deps, actor, http }) => {
    await tokens.endOwnTokens(deps.db, actor);
    clearAuthCookies(http, deps.config);
  },
);

export const askForPasswordReset = endpoint(
  {
    id: "askForPasswordReset",
    method: "post",
    path: "/password-reset",
    summary: "Have a link to set a new password sent by mail",
    description: "Always the same answer, in the same time, whether or not an account has the address.",
    ...anyone,
    shares: "database",
    body: PasswordResetRequest,
    ...accepted(
      MailNoted,
      "A mail is sent if there is such an account; one a minute and ten an hour at most",
    ),
    fails: [403],
  },
  async ({ deps, body }) => {
    await passwords.askForPasswordReset(deps.db, deps.config, body.email);
    return { detail: "If there is an account with this address, a mail is on its way" };
  },
);

export const confirmPasswordReset = endpoint(
  {
    id: "confirmPasswordReset",
    method: "post",
    path: "/password-reset/confirm",
    summary: "Set a new password with the token of a mail",
    description: "A token is good for an hour and for one use. All tokens of the person end.",
    ...anyone,
    shares: "processor",
    body: PasswordReset,
    ...noContent("The new password holds"),
    fails: [400, 403],
  },
  ({ deps, body }) => passwords.resetPassword(deps.db, deps.config, body, deps.now()),
);

export const verifyEmail = endpoint(
  {
    id: "verifyEmail",
    method: "post",
    path: "/verify-email",
    summary: "Confirm an e-mail address with the token of a mail",
    description:
      "The account's own address, or the new one that it was asked to have, for whoever is signed in to the account; to " +
      "anyone else a link shows no more than that the mail reached them. Who did not make the account takes it over with a " +
      "`password` of their own: it is set, and all tokens end. A token is good for one use. What is offered to the address " +
      "is not accepted by that.",
    ...maybeSignedIn,
    shares: "processor",
    body: EmailVerification,
    ...noContent("The address is the account's, and verified"),
    fails: [400, 401, 403],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, body }) => email.confirmEmail(deps.db, deps.config, actor, body, deps.now()),
);
