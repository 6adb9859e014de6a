import { randomBytes } from "node:crypto";
import type { Deps } from "../../deps.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { sealToken, unsealToken } from "./sealing.ts";

/** Hashes of the accounts that signed in there with a password, newest last. */
export type SignInDevice = { id: string; accounts: string[] };

/** In seconds. Each sign-in begins it again. */
export const deviceCookieLifetimeSeconds = 365 * 24 * 3600;

const maxAccountsPerDevice = 8;

const purpose = "device that signed in with a password";

type Parts = Pick<Deps, "config" | "now">;

/** Undefined if expired, changed or not ours. */
export const decryptDeviceCookie = (parts: Parts, sealed: string): Promise<SignInDevice | undefined> =>
  unsealToken<SignInDevice>(parts, purpose, sealed);

export function encryptDeviceCookieWithAccount(
  parts: Parts,
  device: SignInDevice | undefined,
  email: string,
): Promise<string> {
  const account = fingerprint(email);
  const { id = randomBytes(16).toString("base64url"), accounts = [] } = device ?? {};
  const others = accounts.filter((one) => one !== account).slice(1 - maxAccountsPerDevice);
  return sealToken(parts, purpose, deviceCookieLifetimeSeconds, { id, accounts: [...others, account] });
}

export const hasSignedInOnDevice = (
  device: SignInDevice | undefined,
  email: string,
): device is SignInDevice => device?.accounts.includes(fingerprint(email)) ?? false;
