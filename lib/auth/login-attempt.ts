import type { Deps } from "../deps.ts";
import { seal, unseal } from "./sealing.ts";

/** What a sign-in at an identity provider has to know again when the browser comes back. */
export type LoginAttempt = {
  provider: string;
  state: string;
  nonce: string;
  /** Of PKCE: shows the provider that who exchanges the code is who asked for it. */
  verifier: string;
  redirect_to: string;
  /** Of a page that wants a code for tokens, in place of cookies. */
  code_challenge?: string | undefined;
};

/** How long one may take to sign in at the provider, in seconds. */
export const loginLifetime = 600;

const purpose = "sign-in at an identity provider";

type Parts = Pick<Deps, "config" | "now">;

/** Encrypts a sign-in for the browser to keep. */
export const sealAttempt = (parts: Parts, attempt: LoginAttempt): Promise<string> =>
  seal(parts, purpose, loginLifetime, attempt);

/** The sign-in that was sealed; undefined for what has expired, was changed or is not ours. */
export const openAttempt = (parts: Parts, sealed: string): Promise<LoginAttempt | undefined> =>
  unseal<LoginAttempt>(parts, purpose, sealed);
