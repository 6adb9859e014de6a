import { chmod } from "node:fs/promises";
import path from "node:path";
import { type Platform, startPlatform } from "./platform.ts";

/**
 * A server of one's own, with the demonstration and the practice tutor, whatever the settings of this machine say. It
 * keeps everything in that folder, and changes the environment of this process.
 */
export async function startOwnPlatform(folder: string): Promise<Platform> {
  // A PostgreSQL that root starts runs as another user, who has to get in.
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
