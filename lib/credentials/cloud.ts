import type {
  CloudConnectionTest,
  CloudCredentialsCreate,
  CloudCredentialsStatus,
} from "../../schema/api/credentials.ts";
import { HttpError, notFound } from "../errors.ts";
import { chooseProvider, environmentKeys, type LlmSettings } from "../llm/choose.ts";
import {
  type Author,
  type CredentialStore,
  type KeyRecord,
  last4,
  UnreadableCredentialsError,
} from "../llm/credential-store.ts";
import { LlmError } from "../llm/provider.ts";
import { resolveKeys } from "./resolve.ts";

/** Stores the cloud account's keys in place of those before. */
export async function storeCloudCredentials(
  store: CredentialStore,
  input: CloudCredentialsCreate,
  author: Author,
): Promise<CloudCredentialsStatus> {
  const { cloud_access_key_id, cloud_secret_access_key, cloud_session_token } = input;
  const keys = {
    accessKeyId: cloud_access_key_id,
    secretAccessKey: cloud_secret_access_key,
    ...(cloud_session_token && { sessionToken: cloud_session_token }),
  };
  return storedStatus(await store.write(keys, author));
}

/** Which keys are in use, without showing them. */
export async function cloudCredentialsStatus(
  store: CredentialStore,
  settings: LlmSettings,
): Promise<CloudCredentialsStatus> {
  const record = await store.describe();
  if (record) return storedStatus(record);
  const given = environmentKeys(settings);
  return {
    configured: given !== undefined,
    source: given ? "environment" : "default_chain",
    access_key_id_last4: given ? last4(given.accessKeyId) : null,
    updated_at: null,
    updated_by: null,
  };
}

/** Removes the stored keys; 404 when there are none. */
export async function removeCloudCredentials(store: CredentialStore): Promise<void> {
  if (!(await store.remove())) throw notFound("Cloud credentials");
}

/** Long enough for a slow model to begin, and within the time that API Gateway waits. */
const testTimeoutMs = 20_000;

/**
 * Makes a real call, as short as can be, to the cloud-managed provider with the keys in use at this moment,
 * also where another provider answers the chats. A failure is an answer, not an error.
 */
export async function testCloudConnection(
  store: CredentialStore,
  settings: LlmSettings,
): Promise<CloudConnectionTest> {
  const started = performance.now();
  const resolved = resolveKeys(settings, store);
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

/** Errors of our own hold codes and no keys; of any other only its name is told. */
function reasonOf(error: unknown): string {
  const ours = [LlmError, UnreadableCredentialsError, HttpError].some((kind) => error instanceof kind);
  if (!(error instanceof Error)) return typeof error;
  return ours ? error.message : error.name;
}

const storedStatus = (record: KeyRecord): CloudCredentialsStatus => ({
  configured: true,
  source: "stored",
  ...record,
});
