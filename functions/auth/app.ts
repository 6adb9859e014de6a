import { group } from "../../lib/http/endpoint.ts";
import {
  checkEmail,
  loginWithPassword,
  logout,
  refreshTokens,
  registerAccount,
  registerAccountWithOnboarding,
} from "./accounts.ts";

export const auth = group("Authentication", "/auth", [
  checkEmail,
  registerAccount,
  registerAccountWithOnboarding,
  loginWithPassword,
  refreshTokens,
  logout,
]);
