import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { completeSettings } from "../ops/settings.ts";
import { dataDirOf, openDataDir } from "./data-dir.ts";
import { demoAccounts, demoPassword } from "./seed/accounts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Accounts for sign-in by one click. */
const demonstrationAccounts = demoAccounts.map(({ email, name, role }) => ({
  ...{ email, role },
  full_name: name,
  password: demoPassword,
}));

/** DATA_DIR moves all local data: the settings' defaults are relative to the project. */
function foldersIn(environment: Environment): Environment {
  if (!environment["DATA_DIR"]?.trim()) return {};
  const dataDir = dataDirOf(environment);
  return {
    LOG_DIR: path.join(dataDir, "logs"),
    MAIL_FOLDER: path.join(dataDir, "mail"),
    FILE_STORE: `folder:${path.join(dataDir, "files")}`,
  };
}

/** Defaults of a local run; the environment overrides them. */
export function localSettings(environment: Environment, databaseUrl: string, tutorUrl: string): Environment {
  const settings = completeSettings(environment, databaseUrl, tutorUrl);
  const inDevelopment = settings["ENVIRONMENT"] === "development";
  return {
    ...foldersIn(environment),
    ...(inDevelopment && { DEMONSTRATION_ACCOUNTS: JSON.stringify(demonstrationAccounts) }),
    ...settings,
  };
}

/** The persistent key of this machine's tokens: sessions survive a restart. */
export async function keepSecretKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, "secret-key");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept.length >= 32) return kept;
  const made = randomBytes(48).toString("base64url");
  await openDataDir(dataDir);
  await writeFile(file, made, { mode: 0o600 });
  return made;
}
