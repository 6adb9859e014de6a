import type { Config } from "../../../lib/config.ts";
import { checkBatches } from "./batches.ts";
import { checkConnection, timeoutMs } from "./connection.ts";
import { type Finding, ok, wrong } from "./finding.ts";
import { checkLlm } from "./llm.ts";
import { checkMailServer } from "./mail-server.ts";

/**
 * Checks that the external services are reachable and accept the credentials. Sends nothing and costs
 * nothing.
 */
export async function checkServices(config: Config): Promise<Finding[]> {
  const { SMTP_URL: mail, OBS_HOST: langfuse } = config;
  const found = await Promise.all([
    checkLlm(config),
    checkBatches(config),
    ...(mail ? [checkMailServer(mail)] : []),
    ...(langfuse ? [checkConnection("Langfuse", langfuse, "OBS_HOST")] : []),
    ...config.OIDC_PROVIDERS.map(checkProvider),
  ]);
  return found.flat();
}

async function checkProvider({ name, issuer }: Config["OIDC_PROVIDERS"][number]): Promise<Finding> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const todo = `check its issuer in OIDC_PROVIDERS: ${address} must return that issuer`;
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) return wrong(`the identity provider ${name} returned ${answer.status}`, todo);
    const described = (await answer.json()) as { issuer?: string };
    if (described.issuer === issuer) return ok(`the identity provider ${name} publishes its configuration`);
    return wrong(`the identity provider ${name} calls itself ${described.issuer}`, todo);
  } catch (error) {
    return wrong(`the identity provider ${name} cannot be reached: ${(error as Error).message}`, todo);
  }
}
