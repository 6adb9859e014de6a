import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { seal, unseal } from "../auth/sealing.ts";
import type { Deps } from "../deps.ts";

/** What a launch has to know again when the platform answers. Nothing of it is stored here. */
export type LaunchState = {
  university_id: number;
  platform_id: number;
  /** Names the cookie, or the platform's store, that holds `key`. */
  name: string;
  /** The SHA-256 of a key that the browser alone holds. */
  key_hash: string;
  nonce: string;
  /** The frame of the platform that keeps values for tools, where it has one. */
  storage_frame?: string | undefined;
  /** What began the login, to begin it again in a window of its own; left out where it is long. */
  login?: Record<string, string> | undefined;
};

/** How long the platform may take to answer, in seconds. */
export const launchLifetime = 600;

/** The state goes to the platform and back in an address and a form: neither takes any length. */
const mostOfLogin = 2000;

const purpose = "launch by a platform of LTI";

type Parts = Pick<Deps, "config" | "now">;

export type BegunLaunch = { state: string; nonce: string; name: string; key: string };

/** A new state with a nonce, and the key for the browser to keep under that name. */
export async function beginState(
  parts: Parts,
  {
    login,
    ...of
  }: Pick<LaunchState, "university_id" | "platform_id" | "storage_frame"> & {
    login: Record<string, string>;
  },
): Promise<BegunLaunch> {
  const [name, key, nonce] = [random(9), random(24), random(24)];
  const isShort = JSON.stringify(login).length <= mostOfLogin;
  const content = { ...of, name, key_hash: hashOf(key), nonce, ...(isShort && { login }) };
  return {
    state: await seal(parts, purpose, launchLifetime, content satisfies LaunchState),
    nonce,
    name,
    key,
  };
}

/** The state that was sealed for that university; undefined for what has expired, was changed or is not ours. */
export async function openState(
  parts: Parts,
  universityId: number,
  sealed: string,
): Promise<LaunchState | undefined> {
  const state = await unseal<LaunchState>(parts, purpose, sealed);
  return state?.university_id === universityId ? state : undefined;
}

/** Whether the browser holds the key that the launch was begun with. */
export const isKeyOf = ({ key_hash }: LaunchState, key: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(key)), Buffer.from(key_hash));

const random = (bytes: number): string => randomBytes(bytes).toString("base64url");

const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
