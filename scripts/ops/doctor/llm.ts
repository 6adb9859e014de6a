import type { Config } from "../../../lib/config.ts";
import { chooseProvider } from "../../../lib/platform/llm/choose-llm-provider.ts";
import { problemRemedies } from "../../../lib/platform/llm/problems.ts";
import type { LlmProbeFailure } from "../../../lib/platform/llm/provider.ts";
import { checkConnection, timeoutMs } from "./connection.ts";
import { advice, type Finding, ok, wrong } from "./finding.ts";

type LlmSettings = { url: string; address: string; key: string; model: string };

/** The provider's address and the settings that define it. */
const settingsOf = (config: Config): LlmSettings =>
  ({
    direct_api: {
      url: config.DIRECT_API_BASE_URL ?? "https://api.anthropic.com",
      address: "DIRECT_API_BASE_URL",
      key: "DIRECT_API_KEY",
      model: "DIRECT_API_MODEL",
    },
    cloud_managed: {
      url: config.CLOUD_ENDPOINT_URL ?? `https://bedrock-runtime.${config.CLOUD_REGION}.amazonaws.com`,
      address: "CLOUD_REGION and CLOUD_ENDPOINT_URL",
      key: "CLOUD_ACCESS_KEY_ID and CLOUD_SECRET_ACCESS_KEY, or the keys of this machine",
      model: "CLOUD_MODEL_ID",
    },
    openai_compatible: {
      url: config.OPENAI_BASE_URL ?? "",
      address: "OPENAI_BASE_URL",
      key: "OPENAI_API_KEY",
      model: "OPENAI_MODEL",
    },
  })[config.LLM_PROVIDER];

/** Checks that the provider is reachable, accepts the key and knows the model, with the cheapest request. */
export async function checkLlm(config: Config): Promise<Finding> {
  const name = `the LLM (${config.LLM_PROVIDER})`;
  const settings = settingsOf(config);
  const reached = await checkConnection(name, settings.url, settings.address);
  if (reached.state === "wrong") return reached;
  const provider = chooseProvider(config);
  const refusal = await provider.ask(AbortSignal.timeout(timeoutMs));
  if (!refusal) return ok(`${name} accepts the key at ${new URL(settings.url).host}`);
  return judge(name, settings, provider.defaultModel, refusal);
}

function judge(
  name: string,
  settings: LlmSettings,
  model: string,
  { status, reason, problem }: LlmProbeFailure,
): Finding {
  if (problem === "credit") return wrong(`${name} has no credit: ${reason}`, problemRemedies.credit);
  // Bedrock counts tokens only for some models, and keys may allow inference only.
  if (/^HTTP 4\d\d, (ValidationException|AccessDeniedException)/.test(reason))
    return advice(
      `${name} accepts the key, but does not allow it to count tokens of ${model}: ${reason}`,
      `chat may still be allowed: "npm run smoke" with SMOKE_ITEM requests an answer; check ${settings.model}`,
    );
  if (reason.startsWith("CredentialsProviderError"))
    return advice(
      `${name} was not checked: this machine has no AWS keys (functions have a role)`,
      "POST /api/v1/admin/cloud-credentials/test checks with the service's own credentials",
    );
  if (status === 401 || status === 403)
    return wrong(`${name} rejects the key: ${reason}`, `check ${settings.key}`);
  if (status === 404)
    return wrong(
      `${name} does not know ${model}, or is another kind of service: ${reason}`,
      `check ${settings.model} and ${settings.address}`,
    );
  if (status === 429 || (status ?? 0) >= 500)
    return advice(`${name} is too busy to check the key: ${reason}`, "run this again later");
  return wrong(`${name} does not work correctly: ${reason}`, `check ${settings.address}`);
}
