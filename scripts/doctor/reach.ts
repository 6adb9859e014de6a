import { connect } from "node:net";
import type { Config } from "../../lib/config.ts";
import { type Finding, ok, wrong } from "./finding.ts";

const patienceMs = 5000;

/** What the service calls, besides its database: by name, where it is, and the settings that say so. */
function servicesOf(config: Config): { name: string; url: string; settings: string }[] {
  const llm = {
    direct_api: config.DIRECT_API_BASE_URL ?? "https://api.anthropic.com",
    cloud_managed:
      config.CLOUD_ENDPOINT_URL ?? `https://bedrock-runtime.${config.CLOUD_REGION}.amazonaws.com`,
    openai_compatible: config.OPENAI_BASE_URL ?? "",
  }[config.LLM_PROVIDER];
  return [
    { name: `the LLM (${config.LLM_PROVIDER})`, url: llm, settings: "LLM_PROVIDER and its address" },
    ...(config.SMTP_URL ? [{ name: "the mail server", url: config.SMTP_URL, settings: "SMTP_URL" }] : []),
    ...(config.OBS_HOST ? [{ name: "Langfuse", url: config.OBS_HOST, settings: "OBS_HOST" }] : []),
  ];
}

/** Whether each can be connected to. No key is sent, and nothing is asked. */
export async function checkServices(config: Config): Promise<Finding[]> {
  const connections = servicesOf(config).map(async ({ name, url, settings }) => {
    const problem = await connectionProblem(url);
    const { host } = new URL(url);
    if (!problem) return ok(`${name} can be reached at ${host}`);
    return wrong(
      `${name} cannot be reached at ${host}: ${problem}`,
      `look at ${settings}, and at the network's rules`,
    );
  });
  return Promise.all([...connections, ...config.OIDC_PROVIDERS.map(checkProvider)]);
}

const usualPorts: Record<string, number> = { "http:": 80, "https:": 443, "smtp:": 587, "smtps:": 465 };

/** Why no connection is made; undefined when one is. */
function connectionProblem(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (usualPorts[protocol] ?? 443),
  });
  socket.setTimeout(patienceMs);
  return new Promise((resolve) => {
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end(`no answer within ${patienceMs / 1000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

async function checkProvider({ name, issuer }: Config["OIDC_PROVIDERS"][number]): Promise<Finding> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const todo = `look at its issuer in OIDC_PROVIDERS: ${address} must answer with that issuer`;
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(patienceMs) });
    if (!answer.ok) return wrong(`the identity provider ${name} answered ${answer.status}`, todo);
    const described = (await answer.json()) as { issuer?: string };
    if (described.issuer === issuer) return ok(`the identity provider ${name} describes itself`);
    return wrong(`the identity provider ${name} calls itself ${described.issuer}`, todo);
  } catch (error) {
    return wrong(`the identity provider ${name} cannot be reached: ${(error as Error).message}`, todo);
  }
}
