import { randomBytes } from "node:crypto";
import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { createBrowserKey } from "./browser-key.ts";

/** State between login and launch, which is not stored here. */
export type LaunchState = {
  university_id: number;
  platform_id: number;
  /** The cookie, or key in the platform's storage, with `key`. */
  name: string;
  /** SHA-256 of a key that only the browser has. */
  key_hash: string;
  nonce: string;
  /** The platform's frame for storage, if it has one. */
  storage_frame?: string | undefined;
  /** The login's parameters, to restart it in its own window; omitted if long. */
  login?: Record<string, string> | undefined;
};

/** For the platform's answer, in seconds. */
export const launchStateLifetimeSeconds = 600;

/** The state travels in a URL and a form, which limit its length. */
const maxLoginStateCharacters = 2000;

const purpose = "launch by a platform of LTI";

type Parts = Pick<Deps, "config" | "now">;

export type IssuedLaunchState = { state: string; nonce: string; name: string; key: string };

/** A new state with a nonce, and the key that the browser stores under that name. */
export async function createLaunchState(
  parts: Parts,
  {
    login,
    ...of
  }: Pick<LaunchState, "university_id" | "platform_id" | "storage_frame"> & {
    login: Record<string, string>;
  },
): Promise<IssuedLaunchState> {
  const { name, key, key_hash } = createBrowserKey();
  const nonce = randomBytes(24).toString("base64url");
  const isShort = JSON.stringify(login).length <= maxLoginStateCharacters;
  const content = { ...of, name, key_hash, nonce, ...(isShort && { login }) };
  return {
    state: await sealToken(parts, purpose, launchStateLifetimeSeconds, content satisfies LaunchState),
    nonce,
    name,
    key,
  };
}

/** Undefined if the state expired, was changed or is not ours. */
export async function decryptLaunchState(
  parts: Parts,
  universityId: number,
  sealed: string,
): Promise<LaunchState | undefined> {
  const state = await unsealToken<LaunchState>(parts, purpose, sealed);
  return state?.university_id === universityId ? state : undefined;
}
