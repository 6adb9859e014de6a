import { parseArgs } from "node:util";
import { loadConfig } from "../../lib/config.ts";

/** A version of the secret that holds a stage's settings. */
export type SecretSettings = { text: string; version: string };

/** What a deployment does to the world around it. */
export type DeploymentParts = {
  readSecret(name: string, region: string): Promise<SecretSettings>;
  /** Runs a command of the framework; rejects when it fails. */
  serverless(options: string[]): Promise<void>;
  /** The environment that the packaged functions are to be given. */
  packagedEnvironment(): Promise<Record<string, string>>;
  migrate(databaseUrl: string): Promise<number>;
  report(message: string): void;
};

/**
 * Deploys a stage, with the framework's options, `--stage` and others: packages, checks the settings as the functions will,
 * brings the database up to date, and only then replaces the code. What fails leaves everything after it undone,
 * and the old code running: it works with the newer database, since migrations go forward only.
 */
export async function deploy(options: string[], parts: DeploymentParts): Promise<void> {
  const { stage, region } = stageAndRegion(options);
  const secret = await parts.readSecret(`learning-platform/${stage}/settings`, region);
  const all = [...options, `--param=secretVersion=${secret.version}`];
  await parts.serverless(["package", ...all]);
  const environment = await parts.packagedEnvironment();
  const { DATABASE_URL } = loadConfig({ ...environment, SECRET_SETTINGS: secret.text });
  parts.report(`${await parts.migrate(DATABASE_URL)} migrations applied`);
  await parts.serverless(["deploy", "--package", ".serverless", ...all]);
}

/** The same defaults as in serverless.yml. */
function stageAndRegion(args: string[]) {
  const { values } = parseArgs({
    args,
    strict: false,
    options: { stage: { type: "string", short: "s" }, region: { type: "string", short: "r" } },
  });
  return { stage: String(values.stage ?? "dev"), region: String(values.region ?? "eu-west-2") };
}
