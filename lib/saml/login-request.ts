import { randomBytes } from "node:crypto";
import { seal, unseal } from "../auth/sealing.ts";
import type { Deps } from "../deps.ts";

/** What a sign-in by SAML has to know again when the browser comes back. Nothing of it is stored here. */
export type SamlLogin = {
  provider: string;
  /** The ID of the AuthnRequest, which the response has to answer. */
  request_id: string;
  redirect_to: string;
  /** Of a page that wants a code for tokens, in place of cookies. */
  code_challenge?: string | undefined;
};

const purpose = "sign-in by SAML";

/** How long one may take to sign in at the provider, in seconds. */
export const samlLoginLifetime = 600;

type Parts = Pick<Deps, "config" | "now">;

/** RelayState, which names the cookie: 80 bytes at most, and it says nothing to anyone. */
export const newRelayState = (): string => randomBytes(12).toString("base64url");

export const isRelayState = (text: string): boolean => /^[\w-]{16}$/.test(text);

/** Encrypts a sign-in for the browser to keep. */
export const sealLogin = (parts: Parts, login: SamlLogin): Promise<string> =>
  seal(parts, purpose, samlLoginLifetime, login);

/** The sign-in that was sealed; undefined for what has expired, was changed or is not ours. */
export const openLogin = (parts: Parts, sealed: string): Promise<SamlLogin | undefined> =>
  unseal<SamlLogin>(parts, purpose, sealed);
