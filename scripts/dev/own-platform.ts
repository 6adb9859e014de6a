import { chmod } from "node:fs/promises";
import path from "node:path";
import { type Platform, startPlatform } from "./platform.ts";

/**
 * A separate server with demo data and practice tutor, independent of this machine's settings. Stores
 * everything in that folder, and changes this process's environment.
 */
export async function startOwnPlatform(folder: string): Promise<Platform> {
  // Under root, PostgreSQL runs as another user and needs access.
  await chmod(folder, 0o755);
  const own = {
    DATABASE_URL: "",
    LLM_PROVIDER: "",
    DIRECT_API_KEY: "",
    SMTP_URL: "",
    LOG_LEVEL: "ERROR",
    ENVIRONMENT: "development",
  };
  const kept = { LOG_DIR: "", MAIL_FOLDER: "", FILE_STORE: "", DATA_DIR: path.join(folder, "data") };
  Object.assign(process.env, own, kept);
  return startPlatform({ port: 0 });
}
