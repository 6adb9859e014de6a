import { group } from "../../lib/http/endpoint.ts";
import { checkEmail, login, logout, refreshTokens, register, registerWithOnboarding } from "./accounts.ts";
import { beginProviderLogin, finishProviderLogin, listIdentityProviders } from "./oidc.ts";

export const auth = group("Authentication", "/auth", [
  checkEmail,
  register,
  registerWithOnboarding,
  login,
  refreshTokens,
  logout,
  listIdentityProviders,
  beginProviderLogin,
  finishProviderLogin,
]);
