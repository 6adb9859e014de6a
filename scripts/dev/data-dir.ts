import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { mkdirp } from "../../lib/logging/mkdirp.ts";

/** The demonstration's accounts have a password that everyone knows, one of them a platform_admin's. */
export function refuseProduction(environment: NodeJS.ProcessEnv): void {
  if (environment["ENVIRONMENT"]?.trim() === "production")
    throw new Error('This is for development, and ENVIRONMENT is production: run "npm start" instead');
}

/** Where a local run keeps everything between runs: database, key, mail, files, and with DATA_DIR its log. */
export const dataDirOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  path.resolve(environment["DATA_DIR"]?.trim() || ".data");

/** Makes that folder where it is not there; says what to set where nothing can be kept in it. */
export async function openDataDir(dataDir: string): Promise<void> {
  const trial = path.join(dataDir, `.written-by-${process.pid}`);
  try {
    await mkdirp(dataDir);
    await writeFile(trial, "");
    await rm(trial);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw new Error(
      `Nothing can be kept in ${dataDir} (${code}): set DATA_DIR to a folder that can be written`,
      { cause },
    );
  }
}
