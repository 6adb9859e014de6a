import path from "node:path";
import { createPythonVenvWithPackages } from "../clients/python-environment.ts";
import { runCommandRejectingWarnings } from "../clients/toolchain.ts";

/* Third-party SCIM software from PyPI: a tester for RFC 7643 and 7644, and a command-line client. */

const packages = ["scim2-tester==0.5.2", "scim2-cli"];

export type ScimEndpoint = { address: string; key: string };

/** Installs both, and returns the program; throws pip's error if they cannot be fetched. */
export async function installScimTesters(folder: string): Promise<string> {
  return path.join(await createPythonVenvWithPackages(folder, ...packages), "scim2");
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
