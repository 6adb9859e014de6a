import { setAuthCookies } from "../../lib/auth/cookies.ts";
import type { Call } from "../../lib/http/endpoint.ts";

/** A new pair of tokens for that person, in the answer and in the cookies. */
export async function signIn({ deps, http }: Pick<Call, "deps" | "http">, userId: number) {
  const pair = await deps.tokens.issue(userId);
  setAuthCookies(http, pair, deps.tokens.lifetime, deps.config);
  return pair;
}
