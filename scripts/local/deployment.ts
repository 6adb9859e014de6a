import { parseArgs } from "node:util";
import { loadConfig } from "../../lib/config.ts";

/** A version of the secret that holds a stage's settings. */
export type SecretSettings = { text: string; version: string };

/** What a deployment does to the world around it. */
export type DeploymentParts = {
  readSecret(name: string, region: string, profile?: string): Promise<SecretSettings>;
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
  const { stage, region, profile } = targetOf(options);
  const secret = await parts.readSecret(`learning-platform/${stage}/settings`, region, profile);
  const all = [...options, `--param=secretVersion=${secret.version}`];
  await parts.serverless(["package", ...all]);
  const environment = await parts.packagedEnvironment();
  const { DATABASE_URL } = loadConfig({ ...environment, SECRET_SETTINGS: secret.text });
  checkSize({ ...environment, SECRET_SETTINGS: secret.text });
  parts.report(`${await parts.migrate(DATABASE_URL)} migrations applied`);
  await parts.serverless(["deploy", "--package", ".serverless", ...all]);
}

/** The most bytes that the names and values of a function's environment may have together. */
const largestEnvironment = 4096;

/** Lambda refuses a larger environment, but only after everything else was done. */
function checkSize(environment: Record<string, string>): void {
  const sizes = Object.entries(environment).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name + value),
  }));
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all <= largestEnvironment) return;
  const largest = sizes.toSorted((one, two) => two.bytes - one.bytes).slice(0, 3);
  const named = largest.map(({ name, bytes }) => `${name} ${bytes}`).join(", ");
  throw new Error(
    `The settings have ${all} bytes with their names, and a function takes ${largestEnvironment}. The largest: ${named}`,
  );
}

/** Where the framework's options lead, with the same defaults as in serverless.yml. */
function targetOf(args: string[]) {
  const { values } = parseArgs({
    args,
    strict: false,
    options: {
      stage: { type: "string", short: "s" },
      region: { type: "string", short: "r" },
      "aws-profile": { type: "string" },
    },
  });
  const { stage = "dev", region = "eu-west-2", "aws-profile": profile } = values;
  return { stage: String(stage), region: String(region), ...(profile && { profile: String(profile) }) };
}
