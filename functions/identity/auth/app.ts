import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  checkEmail,
  listDemonstrationAccounts,
  login,
  logout,
  refreshTokens,
  register,
  registerWithOnboarding,
} from "./accounts.ts";
import { acceptInvitationAnew } from "./invitations.ts";
import { exchangeLtiCode, readLtiTicket } from "./launches.ts";
import { askForPasswordReset, confirmPasswordReset, logoutEverywhere, verifyEmail } from "./links.ts";
import {
  beginProviderLogin,
  exchangeSignInCode,
  finishProviderLogin,
  listIdentityProviders,
} from "./oidc.ts";

export const auth = createEndpointGroup("Authentication", "/auth", [
  checkEmail,
  register,
  registerWithOnboarding,
  login,
  refreshTokens,
  logout,
  logoutEverywhere,
  askForPasswordReset,
  confirmPasswordReset,
  verifyEmail,
  acceptInvitationAnew,
  listDemonstrationAccounts,
  listIdentityProviders,
  exchangeSignInCode,
  exchangeLtiCode,
  readLtiTicket,
  beginProviderLogin,
  finishProviderLogin,
]);
