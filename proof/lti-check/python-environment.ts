import path from "node:path";
import { findMissingTool, runCommandRejectingWarnings, ToolFailure } from "../clients/toolchain.ts";

/** Installs packages from PyPI; if that is impossible, says so and returns undefined. Otherwise the interpreter. */
export async function installPython(folder: string, ...packages: string[]): Promise<string | undefined> {
  const missing = await findMissingTool(["python3"]);
  if (missing) return void console.log(`Nothing was checked: ${missing} is not installed.`);
  const python = path.join(folder, "environment/bin/python");
  try {
    await runCommandRejectingWarnings(folder, "python3", "-m", "venv", "environment");
    const pip = ["-m", "pip", "install", "--quiet", "--retries", "1", ...packages];
    await runCommandRejectingWarnings(folder, python, ...pip);
    return python;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    console.log(`Nothing was checked: ${packages[0]} cannot be installed from PyPI here.\n${error.message}`);
    return undefined;
  }
}
