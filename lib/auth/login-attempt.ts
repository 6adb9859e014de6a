import { hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import type { Deps } from "../deps.ts";

/** What a sign-in at an identity provider has to know again when the browser comes back. */
export type LoginAttempt = {
  provider: string;
  state: string;
  nonce: string;
  /** Of PKCE: shows the provider that who exchanges the code is who asked for it. */
  verifier: string;
  redirect_to: string;
};

/** How long one may take to sign in at the provider, in seconds. */
export const loginLifetime = 600;

type Parts = Pick<Deps, "config" | "now">;

/** Encrypts a sign-in for the browser to keep: the next request may reach another process. */
export function sealAttempt({ config, now }: Parts, attempt: LoginAttempt): Promise<string> {
  return new EncryptJWT(attempt)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setExpirationTime(Math.floor(now().getTime() / 1000) + loginLifetime)
    .encrypt(keyOf(config.SECRET_KEY));
}

/** The sign-in that was sealed; undefined for what has expired, was changed or is not ours. */
export async function openAttempt({ config, now }: Parts, sealed: string): Promise<LoginAttempt | undefined> {
  const options = {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
    requiredClaims: ["exp"],
    currentDate: now(),
  };
  const openedWith = (secret: string | undefined) =>
    secret ? jwtDecrypt<LoginAttempt>(sealed, keyOf(secret), options).catch(() => undefined) : undefined;
  const opened = (await openedWith(config.SECRET_KEY)) ?? (await openedWith(config.SECRET_KEY_PREVIOUS));
  return opened?.payload;
}

/** A key of its own, so that nothing that is sealed here is ever taken for a token, or the other way. */
const keyOf = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", "sign-in at an identity provider", 32));
