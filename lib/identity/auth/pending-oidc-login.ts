import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "./sealing.ts";

/** State of a sign-in with an identity provider, until the browser returns. */
export type PendingOidcLogin = {
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
export const oidcLoginLifetimeSeconds = 600;

const purpose = "sign-in at an identity provider";

type Parts = Pick<Deps, "config" | "now">;

export const encryptOidcLogin = (parts: Parts, attempt: PendingOidcLogin): Promise<string> =>
  sealToken(parts, purpose, oidcLoginLifetimeSeconds, attempt);

/** Undefined if expired, changed or not ours. */
export const decryptOidcLogin = (parts: Parts, sealed: string): Promise<PendingOidcLogin | undefined> =>
  unsealToken<PendingOidcLogin>(parts, purpose, sealed);
