import { accepted, endpoint, noContent } from "../../../lib/http/endpoint.ts";
import * as email from "../../../lib/identity/accounts/email.ts";
import * as passwords from "../../../lib/identity/accounts/password-changes.ts";
import * as tokens from "../../../lib/identity/accounts/revoke-own-tokens.ts";
import { clearAuthCookies } from "../../../lib/identity/auth/cookies.ts";
import { anyone, maybeSignedIn, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Revoke all tokens of the caller",
    ...signedInWithFullReach,
    setsCookies: true,
    ...noContent("All tokens revoked on every device, cookies cleared"),
  },
  async ({ deps, actor, http }) => {
    await tokens.revokeOwnTokensAndSecretLinks(deps.db, actor);
    clearAuthCookies(http, deps.config);
  },
);

export const askForPasswordReset = endpoint(
  {
    id: "askForPasswordReset",
    method: "post",
    path: "/password-reset",
    summary: "Request a password reset mail",
    description: "The response and its timing do not reveal whether an account has the address.",
    ...anyone,
    shares: "database",
    body: PasswordResetRequest,
    ...accepted(MailNoted, "A mail is sent if the account exists, at most one a minute and ten an hour"),
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
    summary: "Reset a password",
    description:
      "Send the token of the reset mail. It is valid for one hour and one use. All tokens of the person " +
      "are revoked.",
    ...anyone,
    shares: "processor",
    body: PasswordReset,
    ...noContent("Password changed"),
    fails: [400, 403],
  },
  ({ deps, body }) => passwords.resetPassword(deps.db, deps.config, body, deps.now()),
);

export const verifyEmail = endpoint(
  {
    id: "verifyEmail",
    method: "post",
    path: "/verify-email",
    summary: "Verify an email address",
    description:
      "Send the token of a verification mail, which is valid for one use. With an access token of " +
      "the account, verifies its address or the requested new one. Without a token, send a " +
      "`password`: it replaces the account's password and revokes all tokens. Open offers to the " +
      "address stay open.",
    ...maybeSignedIn,
    shares: "processor",
    body: EmailVerification,
    ...noContent("The address is verified and belongs to the account"),
    fails: [400, 401, 403],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, body }) => email.confirmEmail(deps.db, deps.config, actor, body, deps.now()),
);
