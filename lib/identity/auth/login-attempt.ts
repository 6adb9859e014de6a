import type { Deps } from "../../deps.ts";
import { seal, unseal } from "./sealing.ts";

/** State of a sign-in with an identity provider, until the browser returns. */
export type LoginAttempt = {
  provider: string;
  state: string;
  nonce: string;
  /** The PKCE verifier. */
  verifier: string;
  redirect_to: string;
  /** Set for pages that want a code instead of cookies. */
  code_challenge?: string | undefined;
};

/** For signing in at the provider, in seconds. */
export const loginLifetime = 600;

const purpose = "sign-in at an identity provider";

type Parts = Pick<Deps, "config" | "now">;

export const sealAttempt = (parts: Parts, attempt: LoginAttempt): Promise<string> =>
  seal(parts, purpose, loginLifetime, attempt);

/** Undefined if expired, changed or not ours. */
export const openAttempt = (parts: Parts, sealed: string): Promise<LoginAttempt | undefined> =>
  unseal<LoginAttempt>(parts, purpose, sealed);
