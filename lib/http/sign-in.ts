import { setAuthCookies } from "../auth/cookies.ts";
import type { Bearer } from "../secrets/tokens.ts";
import type { Call } from "./endpoint.ts";

/** A new pair of tokens for that person, with what theirs said of the sign-in, in the answer and in the cookies. */
export async function signIn({ deps, http }: Pick<Call, "deps" | "http">, person: Bearer) {
  const pair = await deps.tokens.issue(person);
  setAuthCookies(http, pair, deps.tokens.lifetime, deps.config);
  return pair;
}
