import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { tryInstallingPythonWithPackages } from "../clients/python-environment.ts";
import { findMissingTool, installNpmPackages, ToolFailure } from "../clients/toolchain.ts";

/* Third-party tools: PyLTI1p3 from PyPI and ltijs from npm, each with a program of this folder. */

export type RunningTool = { address: string; stop(): void };

/** Starts an installed tool, with a database of its own. */
export type ToolStarter = (databaseUrl: string) => Promise<RunningTool>;

async function startProgram(command: string, ...args: string[]): Promise<RunningTool> {
  const tool = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise<string>((resolve, reject) => {
    // Libraries print lines of their own.
    createInterface(tool.stdout).on("line", (line) => {
      if (line.startsWith("http")) resolve(line);
    });
    tool.once("exit", () => reject(new ToolFailure("the tool ended before it started")));
  });
  return { address, stop: () => tool.kill() };
}

const programOf = (name: string): string => path.join(import.meta.dirname, name);

/** Installs PyLTI1p3. If it is impossible, says so and returns undefined. */
export async function installPyLtiTool(folder: string): Promise<ToolStarter | undefined> {
  const python = await tryInstallingPythonWithPackages(folder, "PyLTI1p3==2.0.0", "flask==3.1.2");
  return python ? () => startProgram(python, programOf("tool.py")) : undefined;
}

/** Installs ltijs. If it is impossible, says so and returns undefined. */
export async function installLtijsTool(folder: string): Promise<ToolStarter | undefined> {
  const missing = await findMissingTool(["npm"]);
  if (missing) return void console.log(`ltijs was not checked: ${missing} is not installed.`);
  try {
    await writeFile(path.join(folder, "package.json"), '{ "private": true }');
    await installNpmPackages(folder, "ltijs@5.9.9", "ltijs-sequelize@2.4.4");
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return void console.log(`ltijs was not checked: it cannot be installed from npm here.\n${error.message}`);
  }
  return (databaseUrl) => startProgram(process.execPath, programOf("ltijs-tool.ts"), folder, databaseUrl);
}
