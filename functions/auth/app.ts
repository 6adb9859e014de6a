import { group } from "../../lib/http/endpoint.ts";
import {
  checkEmail,
  loginWithPassword,
  logout,
  refreshTokens,
  registerAccount,
  registerAccountWithOnboarding,
} from "./accounts.ts";
import { beginOidcLogin, finishOidcLogin, listOidcProviders } from "./oidc.ts";

export const auth = group("Authentication", "/auth", [
  checkEmail,
  registerAccount,
  registerAccountWithOnboarding,
  loginWithPassword,
  refreshTokens,
  logout,
  listOidcProviders,
  beginOidcLogin,
  finishOidcLogin,
]);
