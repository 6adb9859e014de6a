import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findUnacceptedWarnings } from "./warnings.ts";

const execute = promisify(execFile);

/** Half an hour: the first run fetches compilers and packages. */
const timeoutMs = 30 * 60_000;

/** A tool failed; the message is the end of its output. */
export class ToolFailure extends Error {
  override name = "ToolFailure";
}

/** A tool succeeded with warnings, which mean that the client lacks something. */
export class ToolWarningFailure extends ToolFailure {
  override name = "ToolWarningFailure";
}

/** Runs a tool in that folder and returns its output. A warning on either stream is a failure. */
export async function runCommandRejectingWarnings(
  folder: string,
  command: string,
  ...args: string[]
): Promise<string> {
  const options = { cwd: folder, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
  try {
    const running = execute(command, args, options);
    // Some tools wait for the end of stdin.
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    const warnings = findUnacceptedWarnings(`${stdout}\n${stderr}`);
    if (warnings.length === 0) return stdout;
    throw new ToolWarningFailure(`${command} ${args.join(" ")} warns:\n${warnings.join("\n")}`);
  } catch (error) {
    if (error instanceof ToolWarningFailure) throw error;
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-30).join("\n");
    throw new ToolFailure(`${command} ${args.join(" ")}\n${said}`, { cause: error });
  }
}

/** Installs packages of npm below the folder, which needs a package.json. */
export const installNpmPackages = (folder: string, ...packages: string[]): Promise<string> =>
  runCommandRejectingWarnings(folder, "npm", "install", "--silent", "--no-audit", "--no-fund", ...packages);

/** The first missing tool; undefined if all are installed. */
export async function findMissingTool(tools: readonly string[]): Promise<string | undefined> {
  for (const tool of tools) {
    const isThere = await execute(tool, [tool === "go" ? "version" : "--version"]).then(
      () => true,
      () => false,
    );
    if (!isThere) return tool;
  }
  return undefined;
}
