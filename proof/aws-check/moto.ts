import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/dev/free-port.ts";
import { createPythonVenvWithPackages } from "../clients/python-environment.ts";
import { ToolFailure } from "../clients/toolchain.ts";

/* moto, a stand-in for AWS from PyPI. It creates resources and evaluates no permissions. */

/** Installs moto and returns its server; throws pip's error if it cannot be fetched. */
export async function installMoto(folder: string): Promise<string> {
  return path.join(await createPythonVenvWithPackages(folder, "moto[server]==5.2.5"), "moto_server");
}

export type MotoServerAndClient = {
  url: string;
  /** Calls an operation of a query API, such as CloudFormation's. Returns XML. */
  query(service: string, action: string, parameters?: Record<string, string>): Promise<string>;
  /** Reads a path of a REST API, such as Lambda's. */
  read<Answer>(service: string, path: string): Promise<Answer>;
  stop(): Promise<void>;
};

export const awsRegion = "eu-west-2";

/** The service is in the scope of the credential; signatures are not checked. */
const authorizationFor = (service: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=rehearsal/20260101/${awsRegion}/${service}/aws4_request`,
});

export async function startMoto(program: string): Promise<MotoServerAndClient> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  const send = async (service: string, where: string, body?: URLSearchParams) => {
    const headers = authorizationFor(service);
    const response = await fetch(url + where, body ? { method: "POST", headers, body } : { headers });
    const text = await response.text();
    if (!response.ok) throw new ToolFailure(`moto answered ${response.status} for ${service}: ${text}`);
    return text;
  };
  for (let attempt = 0; !(await isUp(url)); attempt += 1) {
    if (attempt > 120 || child.exitCode !== null) throw new ToolFailure("moto_server does not start");
    await sleep(500);
  }
  return {
    url,
    query: (service, action, parameters = {}) =>
      send(service, "/", new URLSearchParams({ Action: action, Version: "2010-05-15", ...parameters })),
    read: async <Answer>(service: string, where: string) => JSON.parse(await send(service, where)) as Answer,
    stop,
  };
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/moto-api/`).then(
    async ({ ok, body }) => {
      await body?.cancel();
      return ok;
    },
    () => false,
  );
