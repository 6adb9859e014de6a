import type { CredentialSource } from "../../../schema/enums.ts";
import type { CloudCredentials } from "../../platform/llm/bedrock.ts";
import { configuredCloudKeys, type LlmSettings } from "../../platform/llm/choose-llm-provider.ts";
import type { CloudKeys, CredentialStore, KeyOwner } from "../../platform/llm/credential-store.ts";

type KeySettings = Parameters<typeof configuredCloudKeys>[0] & Pick<LlmSettings, "CLOUD_REGION">;

/**
 * Credentials for a university's answers (null: the platform's calls), with source. Order: the university's
 * stored ones, the platform's stored ones, environment, default chain.
 */
export async function resolveCloudCredentials(
  settings: KeySettings,
  store: CredentialStore,
  owner: KeyOwner,
): Promise<{ source: CredentialSource; keys: CloudCredentials }> {
  const stored = (owner !== null && (await store.read(owner))) || (await store.read(null));
  if (stored) return { source: "stored", keys: stored };
  const given = configuredCloudKeys(settings);
  if (given) return { source: "environment", keys: given };
  return { source: "default_chain", keys: await fromDefaultChain() };
}

/** Clients cache credentials for this time, which delays new ones. */
const usedForMs = 30_000;

/** AWS clients refresh this long before expiry, so running requests do not fail. */
const clientsMarginMs = 5 * 60_000;

/** With an early expiry, every instance takes changes within a minute, without a restart. */
export function createExpiringCloudKeyResolver(
  settings: KeySettings,
  store: CredentialStore,
  forMs: number = usedForMs,
): (owner: KeyOwner) => Promise<CloudCredentials> {
  return async (owner) => {
    const { keys } = await resolveCloudCredentials(settings, store, owner);
    const askAgain = Date.now() + clientsMarginMs + forMs;
    return { ...keys, expiration: new Date(Math.min(askAgain, keys.expiration?.getTime() ?? askAgain)) };
  };
}

let chain: (() => Promise<CloudCredentials>) | undefined;

/** A role on Lambda, a profile in development. */
async function fromDefaultChain(): Promise<CloudKeys & Pick<CloudCredentials, "expiration">> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  chain ??= defaultProvider();
  return chain();
}
