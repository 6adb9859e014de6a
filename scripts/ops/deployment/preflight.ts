import { type Config, ConfigError, loadConfig } from "../../../lib/config.ts";
import { sessionDatabaseUrl } from "../../../lib/platform/db/driver/address.ts";
import type { SchemaInspection } from "../../../lib/platform/db/migrations/inspect.ts";
import { problemOfSize } from "./environment-size.ts";
import type { SecretSettings } from "./secret-settings.ts";

/** Checks before a deployment, all read-only. */
export type PreflightParts = {
  /** The deploying identity in AWS. */
  identity(): Promise<string>;
  readSecret(name: string): Promise<SecretSettings>;
  inspect(databaseUrl: string): Promise<SchemaInspection>;
  report(message: string): void;
};

/** A stage's function environment without secrets; AWS fills in some values. */
export type Target = { stage: string; environment: Record<string, string | { "Fn::Sub": string }> };

/** A deployment must not start: all reasons that were found. */
export class Refused extends Error {
  override name = "Refused";

  constructor(problems: readonly string[]) {
    super(
      `Nothing was changed. Fix these problems first:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
  }
}

export const secretOf = (stage: string): string => `learning-platform/${stage}/settings`;

/**
 * Checks everything a deployment needs without changing it: the identity, the stage's secret, the functions'
 * settings and environment size, and the database's migrations by its direct address. Returns the settings;
 * throws `Refused` with all problems.
 */
export async function preflight({ stage, ...target }: Target, parts: PreflightParts): Promise<Config> {
  const environment = filledIn(target.environment);
  parts.report(
    `Deploying as ${await parts.identity().catch(refuseAs("AWS did not accept your credentials"))}`,
  );
  const secret = await parts.readSecret(secretOf(stage)).catch(refuseAs("The settings cannot be read"));
  if (environment["SECRET_VERSION"] !== secret.version)
    parts.report(
      "The package was built with other secret settings. Functions receive the changes with the next",
    );
  const all = { ...environment, SECRET_SETTINGS: secret.text };
  const size = problemOfSize(all);
  const config = settingsOf(all);
  if (Array.isArray(config)) throw new Refused([...config, ...(size ? [size] : [])]);
  const inspection = await parts
    .inspect(sessionDatabaseUrl(config))
    .catch(
      (error: unknown) => `${config.DIRECT_DATABASE_URL ? "DIRECT_" : ""}DATABASE_URL: ${messageOf(error)}`,
    );
  const problems = [size, problemOf(inspection)].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Refused(problems);
  return config;
}

function problemOf(inspection: SchemaInspection | string): string | undefined {
  if (typeof inspection === "string") return inspection;
  if (inspection.migrating === undefined) return undefined;
  return `Another migration runs: ${inspection.migrating}. Wait for it, or end it with pg_terminate_backend`;
}

/** Placeholders for AWS values with a required form. */
const likely: Record<string, string> = { "AWS::Partition": "aws", "AWS::AccountId": "000000000000" };

/** Replaces references that only AWS resolves, such as a new bucket's name. */
const filledIn = (environment: Target["environment"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      typeof value === "string"
        ? value
        : value["Fn::Sub"].replaceAll(/\$\{([^}]*)\}/g, (_, of) => likely[of] ?? "known-to-aws"),
    ]),
  );

/**
 * The settings by the rules of functions. Each function lacks other functions' secrets, so the rules on those
 * are the ones of a server.
 */
function settingsOf(environment: Record<string, string>): Config | string[] {
  const ofServer = loadOrProblems(environment);
  const ofFunction = loadOrProblems({ ...environment, AWS_LAMBDA_FUNCTION_NAME: "any" });
  const problems = [ofServer, ofFunction].flatMap((one) => (Array.isArray(one) ? one : []));
  return problems.length > 0 ? [...new Set(problems)] : ofFunction;
}

function loadOrProblems(environment: Record<string, string>): Config | string[] {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

const refuseAs =
  (what: string) =>
  (error: unknown): never => {
    throw new Refused([`${what}: ${messageOf(error)}`]);
  };

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || ((error as { code?: string }).code ?? error.name) : String(error);
