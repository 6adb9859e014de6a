import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { openDataDir } from "../../server/environment.ts";
import { demoAccounts, demoPassword } from "../dev/seed/accounts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the practice tutor stands in: nothing says which LLM to ask. */
export const needsPracticeTutor = (environment: Environment): boolean =>
  !environment["LLM_PROVIDER"]?.trim() && !environment["DIRECT_API_KEY"]?.trim();

/** Who may be signed in as with one click. */
const demonstrationAccounts = demoAccounts.map(({ email, name, role }) => ({
  ...{ email, role },
  full_name: name,
  password: demoPassword,
}));

/** What a local run adds to the environment, which wins wherever it says something itself. */
export function localSettings(environment: Environment, databaseUrl: string, tutorUrl: string): Environment {
  const tutor = {
    DIRECT_API_KEY: "practice",
    DIRECT_API_MODEL: "practice-tutor",
    DIRECT_API_BASE_URL: tutorUrl,
  };
  const defaults = {
    ENVIRONMENT: "development",
    LOG_FORMAT: "text",
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: "10",
    LLM_PROVIDER: "direct_api",
  };
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const inDevelopment = (given["ENVIRONMENT"] ?? defaults.ENVIRONMENT) === "development";
  return {
    ...defaults,
    ...(inDevelopment && { DEMONSTRATION_ACCOUNTS: JSON.stringify(demonstrationAccounts) }),
    ...given,
    ...(needsPracticeTutor(environment) && tutor),
  };
}

/** The key of this machine's tokens, made once, so that a restart signs nobody out. */
export async function keepSecretKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, "secret-key");
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept.length >= 32) return kept;
  const made = randomBytes(48).toString("base64url");
  await openDataDir(dataDir);
  await writeFile(file, made, { mode: 0o600 });
  return made;
}
