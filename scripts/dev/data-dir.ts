import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { mkdirp } from "../../lib/platform/logging/mkdirp.ts";

/** The demo accounts, including a platform_admin, have a public password. */
export function refuseProduction(environment: NodeJS.ProcessEnv): void {
  if (environment["ENVIRONMENT"]?.trim() === "production")
    throw new Error(
      'This command is for development, but ENVIRONMENT is production. Run "npm start" instead',
    );
}

/** The folder of a local run's database, key, mail, files and, if DATA_DIR is set, log. */
export const dataDirOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  path.resolve(environment["DATA_DIR"]?.trim() || ".data");

/** Creates the folder if missing. If it is not writable, the error names the setting. */
export async function openDataDir(dataDir: string): Promise<void> {
  const trial = path.join(dataDir, `.written-by-${process.pid}`);
  try {
    await mkdirp(dataDir);
    await writeFile(trial, "");
    await rm(trial);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new Error(`Cannot write to ${dataDir} (${code}). Set DATA_DIR to a writable folder`, { cause });
  }
}
