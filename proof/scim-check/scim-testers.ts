import path from "node:path";
import { createPythonEnvironment } from "../clients/python-environment.ts";
import { runCommandRejectingWarnings } from "../clients/toolchain.ts";

/* Third-party SCIM software from PyPI: a tester for RFC 7643 and 7644, and a command-line client. */

const packages = ["scim2-tester==0.5.2", "scim2-cli"];

export type ScimEndpoint = { address: string; key: string };

/** Installs both, and returns the program; throws pip's error if they cannot be fetched. */
export async function installScimTesters(folder: string): Promise<string> {
  return path.join(await createPythonEnvironment(folder, ...packages), "scim2");
}

/** Runs a command against the service; throws on errors. */
export function runScimCommand(
  program: string,
  folder: string,
  { address, key }: ScimEndpoint,
  ...words: string[]
): Promise<string> {
  const url = new URL("/scim/v2", address).href;
  return runCommandRejectingWarnings(
    folder,
    program,
    "--url",
    url,
    "--header",
    `Authorization: Bearer ${key}`,
    ...words,
  );
}

/** An administrator creates a SCIM key for the demo university. */
export async function createScimKey(
  base: string,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const send = async (where: string, body: object, token?: string) => {
    const response = await fetch(`${base}/api/v1${where}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${where} answered ${response.status}: ${await response.text()}`);
    return response.json() as Promise<Record<string, string>>;
  };
  const { access_token } = await send("/auth/login", { email, password });
  const expires_at = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const made = await send(
    "/universities/1/api-keys",
    { name: "scim-check", scopes: ["scim"], expires_at },
    access_token,
  );
  return made["key"] ?? "";
}
