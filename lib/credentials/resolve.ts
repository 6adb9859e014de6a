import type { CredentialSource } from "../../schema/enums.ts";
import type { CloudCredentials } from "../llm/bedrock.ts";
import { environmentKeys, type LlmSettings } from "../llm/choose.ts";
import type { CloudKeys, CredentialStore, KeyOwner } from "../llm/credential-store.ts";

type KeySettings = Parameters<typeof environmentKeys>[0] & Pick<LlmSettings, "CLOUD_REGION">;

/**
 * The keys with which a university's answers are made, or with null the platform's own calls, and where they came from:
 * the first of the university's stored ones, the platform's stored ones, the environment, the platform's chain.
 */
export async function resolveKeys(
  settings: KeySettings,
  store: CredentialStore,
  owner: KeyOwner,
): Promise<{ source: CredentialSource; keys: CloudCredentials }> {
  const stored = (owner !== null && (await store.read(owner))) || (await store.read(null));
  if (stored) return { source: "stored", keys: stored };
  const given = environmentKeys(settings);
  if (given) return { source: "environment", keys: given };
  return { source: "default_chain", keys: await fromDefaultChain() };
}

/** How long a client may use keys before it asks for them again: new ones are in use everywhere within that. */
const usedForMs = 30_000;

/** Clients of AWS ask again this long before keys expire, so that a request under way outlives them. */
const clientsMarginMs = 5 * 60_000;

/**
 * The keys for a client that keeps what it is given: they come with an early end, so that every instance asks
 * again within a minute, and keys that were stored, replaced or removed meanwhile take effect without a restart.
 */
export function expiringKeys(
  settings: KeySettings,
  store: CredentialStore,
  forMs: number = usedForMs,
): (owner: KeyOwner) => Promise<CloudCredentials> {
  return async (owner) => {
    const { keys } = await resolveKeys(settings, store, owner);
    const askAgain = Date.now() + clientsMarginMs + forMs;
    return { ...keys, expiration: new Date(Math.min(askAgain, keys.expiration?.getTime() ?? askAgain)) };
  };
}

let chain: (() => Promise<CloudCredentials>) | undefined;

/** What the platform itself has to offer: a role on Lambda, a profile on a developer's machine. */
async function fromDefaultChain(): Promise<CloudKeys & Pick<CloudCredentials, "expiration">> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  chain ??= defaultProvider();
  return chain();
}
