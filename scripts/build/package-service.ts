import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { readZip } from "./zip.ts";

const root = path.resolve(import.meta.dirname, "../..");

export const serverless = path.join(root, "node_modules/serverless/bin/serverless.js");

/** Ends a hanging framework. */
const packagingMinutes = 8;

export type Resource = { Type: string; Properties: Record<string, unknown>; DependsOn?: string[] };

export type PackagedService = {
  /** The folder with the zips, the template and, in `bundles`, source maps and metafiles. */
  folder: string;
  /** The service as the framework reads it, with resolved variables. */
  service: {
    functions: Record<string, { handler: string; events: Record<string, unknown>[] }>;
    provider: { environment: Record<string, string> };
  };
  template: { Resources: Record<string, Resource>; Outputs: Record<string, { Value: unknown }> };
};

/**
 * Packages like `npm run package`, into a new folder and with a minimal environment. The project is linked
 * into a separate folder: the framework writes next to its file, and concurrent runs would conflict.
 */
export async function packageService(parent: string, options: string[] = []): Promise<PackagedService> {
  const project = path.join(parent, "project");
  await linkProject(project);
  return packageProject(project, options);
}

/** Packages a linked project, into the adjacent folder `package`. */
export async function packageProject(project: string, options: string[] = []): Promise<PackagedService> {
  const parent = path.dirname(project);
  const folder = path.join(parent, "package");
  const command = [serverless, "package", "--package", folder];
  const environment = { PATH: process.env["PATH"], HOME: parent };
  const run = { cwd: project, env: environment, timeout: packagingMinutes * 60_000 };
  await promisify(execFile)(process.execPath, [...command, ...options], run).catch((error) => {
    throw new Error(`the service cannot be packaged: ${reasonOf(error)}`, { cause: error });
  });
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, file), "utf8"));
  const { service } = await read("serverless-state.json");
  return { folder, service, template: await read("cloudformation-template-update-stack.json") };
}

type Failure = Error & {
  killed?: boolean;
  code?: unknown;
  signal?: string;
  stdout?: string;
  stderr?: string;
};

function reasonOf({ message, killed, code, signal, stdout = "", stderr = "" }: Failure): string {
  const ended = killed
    ? `it was stopped after ${packagingMinutes} minutes`
    : `it ended with ${code ?? signal ?? message}`;
  return `"serverless package": ${ended}\n${stdout}${stderr}`.trim();
}

/** Links the project into a folder for the framework's output. */
export async function linkProject(project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const [from, to] = [path.join(root, entry.name), path.join(project, entry.name)];
    if (entry.isFile()) await copyFile(from, to);
    else if (!entry.name.startsWith(".")) await symlink(from, to, "junction");
  }
}

/** The folder of a function's code: `functions/tutor/chat`. */
export const folderOf = ({ service }: PackagedService, name: string): string =>
  path.posix.dirname(service.functions[name]?.handler ?? "");

/** Unpacks a function as Lambda does, and returns its folder. */
export async function unpackFunction({ folder: packaged }: PackagedService, name: string): Promise<string> {
  const folder = path.join(path.dirname(packaged), "functions", name);
  await rm(folder, { recursive: true, force: true });
  for (const file of await readZip(path.join(packaged, `${name}.zip`))) {
    const target = path.join(folder, file.name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, file.read());
  }
  return folder;
}

/** Of `any /api/v1/courses`, or the equivalent object; undefined if it is no request. */
export function gatewayPathOfEvent({ http }: Record<string, unknown>): string | undefined {
  const path = typeof http === "string" ? http.replace(/^\w+ /, "") : (http as { path: string })?.path;
  return path?.replace(/^\/?/, "/");
}
