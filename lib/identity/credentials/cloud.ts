import type {
  CloudConnectionTest,
  CloudCredentialsCreate,
  CloudCredentialsStatus,
} from "../../../schema/api/identity/credentials.ts";
import { HttpError, notFound } from "../../errors.ts";
import {
  chooseProvider,
  configuredCloudKeys,
  type LlmSettings,
} from "../../platform/llm/choose-llm-provider.ts";
import {
  type CloudKeyDescription,
  type CredentialAuthor,
  type CredentialStore,
  type KeyOwner,
  last4,
  UnreadableCredentialsError,
} from "../../platform/llm/credential-store.ts";
import { LlmError } from "../../platform/llm/provider.ts";
import { rethrowMissingUniversityAsNotFound } from "../universities/universities.ts";
import { resolveCloudCredentials } from "./resolve.ts";

/** Replaces the owner's previous credentials. 404 if there is no such university. */
export async function storeCloudCredentials(
  store: CredentialStore,
  owner: KeyOwner,
  input: CloudCredentialsCreate,
  author: CredentialAuthor,
): Promise<CloudCredentialsStatus> {
  const { cloud_access_key_id, cloud_secret_access_key, cloud_session_token } = input;
  const keys = {
    accessKeyId: cloud_access_key_id,
    secretAccessKey: cloud_secret_access_key,
    ...(cloud_session_token && { sessionToken: cloud_session_token }),
  };
  return storedStatus(
    owner,
    await store.write(owner, keys, author).catch(rethrowMissingUniversityAsNotFound),
  );
}

/** Without secrets. Universities only learn that the platform's credentials are used. */
export async function readCloudCredentialsStatus(
  store: CredentialStore,
  owner: KeyOwner,
  settings: LlmSettings,
): Promise<CloudCredentialsStatus> {
  const own = await store.describe(owner);
  if (own) return storedStatus(owner, own);
  const isPlatform = owner === null;
  const given = configuredCloudKeys(settings);
  const isStored = !isPlatform && (await store.describe(null)) !== undefined;
  return {
    configured: isStored || given !== undefined,
    source: isStored ? "stored" : given ? "environment" : "default_chain",
    university_id: null,
    access_key_id_last4: isPlatform && given ? last4(given.accessKeyId) : null,
    updated_at: null,
    updated_by: null,
  };
}

/** 404 if the owner has none. */
export async function removeCloudCredentials(store: CredentialStore, owner: KeyOwner): Promise<void> {
  if (!(await store.remove(owner))) throw notFound("Cloud credentials");
}

/** Long enough for a slow model's first token, and below the timeout of API Gateway. */
const testTimeoutMs = 20_000;

/**
 * A minimal real call with the credentials in use, even if another provider serves chats. A failure is a
 * result, not an error.
 */
export async function testCloudConnection(
  store: CredentialStore,
  owner: KeyOwner,
  settings: LlmSettings,
): Promise<CloudConnectionTest> {
  const started = performance.now();
  const resolved = resolveCloudCredentials(settings, store, owner);
  const provider = chooseProvider(
    { ...settings, LLM_PROVIDER: "cloud_managed", LLM_MAX_TOKENS: 1 },
    async () => (await resolved).keys,
  );
  const outcome = (result: { success: boolean; error?: string }): CloudConnectionTest => ({
    ...result,
    provider: provider.name,
    model: provider.defaultModel,
    latency_ms: Math.round(performance.now() - started),
  });
  try {
    await resolved;
    const request = {
      model: provider.defaultModel,
      system: "",
      messages: [{ role: "user" as const, content: "Hello" }],
      signal: AbortSignal.timeout(testTimeoutMs),
    };
    for await (const _ of provider.stream(request));
    return outcome({ success: true });
  } catch (error) {
    return outcome({ success: false, error: reasonOf(error) });
  }
}

/** Our own errors contain no secrets. Of others only the name is shown. */
function reasonOf(error: unknown): string {
  const ours = [LlmError, UnreadableCredentialsError, HttpError].some((kind) => error instanceof kind);
  if (!(error instanceof Error)) return typeof error;
  return ours ? error.message : error.name;
}

const storedStatus = (owner: KeyOwner, record: CloudKeyDescription): CloudCredentialsStatus => ({
  configured: true,
  source: "stored",
  university_id: owner,
  ...record,
});
