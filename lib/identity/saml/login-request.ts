import { randomBytes } from "node:crypto";
import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "../auth/sealing.ts";

/** A sign-in's state until the browser returns. Not stored on the server. */
export type SamlLogin = {
  provider: string;
  /** The AuthnRequest's ID, which the response must match. */
  request_id: string;
  redirect_to: string;
  /** Set for pages that want a code instead of cookies. */
  code_challenge?: string | undefined;
};

const purpose = "sign-in by SAML";

/** For signing in at the provider, in seconds. */
export const samlLoginLifetimeSeconds = 600;

type Parts = Pick<Deps, "config" | "now">;

/** Names the cookie. At most 80 bytes. */
export const newRelayState = (): string => randomBytes(12).toString("base64url");

export const isRelayState = (text: string): boolean => /^[\w-]{16}$/.test(text);

export const encryptSamlLogin = (parts: Parts, login: SamlLogin): Promise<string> =>
  sealToken(parts, purpose, samlLoginLifetimeSeconds, login);

/** Undefined if expired, changed or not ours. */
export const decryptSamlLogin = (parts: Parts, sealed: string): Promise<SamlLogin | undefined> =>
  unsealToken<SamlLogin>(parts, purpose, sealed);
