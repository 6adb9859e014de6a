import { setAuthCookies } from "../identity/auth/cookies.ts";
import type { TokenBearer } from "../platform/secrets/tokens.ts";
import type { HandlerInput } from "./endpoint.ts";

/** A token pair with the session's claims, in the response and in cookies. */
export async function issueTokenPairAndCookies(
  { deps, http }: Pick<HandlerInput, "deps" | "http">,
  person: TokenBearer,
) {
  const pair = await deps.tokens.issue(person);
  setAuthCookies(http, pair, deps.tokens.lifetime, deps.config);
  return pair;
}
