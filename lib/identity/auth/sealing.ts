import { hkdfSync } from "node:crypto";
import { EncryptJWT, type JWTPayload, jwtDecrypt } from "jose";
import type { Deps } from "../../deps.ts";

type Parts = Pick<Deps, "config" | "now">;

/** A sealed value is rejected for other purposes, and never valid as a token. */
type Purpose =
  | "sign-in at an identity provider"
  | "code of a sign-in at an identity provider"
  | "launch by a platform of LTI"
  | "ticket of a launch by a platform of LTI"
  | "request for links by a platform of LTI"
  | "links for a platform of LTI"
  | "registration of a platform of LTI by its creator"
  | "launch of a tool of LTI"
  | "links of a tool of LTI"
  | "access token of a tool of LTI"
  | "access token of OneRoster"
  | "roster state of a tool of LTI"
  | "registration of a tool of LTI by its creator"
  | "sign-in by SAML"
  | "session of a SCORM attempt"
  | "device that signed in with a password";

/** State for the browser, with a lifetime in seconds. The next request may reach another process. */
export function sealToken(
  { config, now }: Parts,
  purpose: Purpose,
  lifetime: number,
  content: JWTPayload,
): Promise<string> {
  return new EncryptJWT(content)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setExpirationTime(Math.floor(now().getTime() / 1000) + lifetime)
    .encrypt(keyOf(config.SECRET_KEY, purpose));
}

/** Undefined if expired, changed or not ours. */
export async function unsealToken<Content>(
  { config, now }: Parts,
  purpose: Purpose,
  sealed: string,
): Promise<Content | undefined> {
  const options = {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
    requiredClaims: ["exp"],
    currentDate: now(),
  };
  const openedWith = (secret: string | undefined) =>
    secret ? jwtDecrypt<Content>(sealed, keyOf(secret, purpose), options).catch(() => undefined) : undefined;
  const opened = (await openedWith(config.SECRET_KEY)) ?? (await openedWith(config.SECRET_KEY_PREVIOUS));
  return opened?.payload;
}

const keyOf = (secret: string, purpose: Purpose): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
