import path from "node:path";
import { findMissingTool, runCommandRejectingWarnings, ToolFailure } from "./toolchain.ts";

/** Installs packages of PyPI in an environment below the folder. Returns the folder of its programs; throws pip's error. */
export async function createPythonVenvWithPackages(folder: string, ...packages: string[]): Promise<string> {
  await runCommandRejectingWarnings(folder, "python3", "-m", "venv", "environment");
  const programs = path.join(folder, "environment/bin");
  const pip = ["-m", "pip", "install", "--quiet", "--retries", "1", ...packages];
  await runCommandRejectingWarnings(folder, path.join(programs, "python"), ...pip);
  return programs;
}

/** The interpreter of such an environment. If it is impossible, says so and returns undefined. */
export async function tryInstallingPythonWithPackages(
  folder: string,
  ...packages: string[]
): Promise<string | undefined> {
  const missing = await findMissingTool(["python3"]);
  if (missing) return void console.log(`Nothing was checked: ${missing} is not installed.`);
  try {
    return path.join(await createPythonVenvWithPackages(folder, ...packages), "python");
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(`Nothing was checked: ${packages[0]} cannot be installed from PyPI here.\n${error.message}`);
    return undefined;
  }
}
