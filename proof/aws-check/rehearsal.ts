import { execFile } from "node:child_process";
import path from "node:path";
import { type PackagedService, serverless } from "../../scripts/build/package-service.ts";
import { secretOf } from "../../scripts/ops/deployment/preflight.ts";
import { secretGroupOf, settingsByGroup } from "../../scripts/ops/deployment/secret-groups.ts";
import { readSecretSettings } from "../../scripts/ops/deployment/secret-settings.ts";
import { ToolFailure } from "../clients/toolchain.ts";
import { awsRegion, type MotoServerAndClient } from "./moto.ts";

export const rehearsalStage = "rehearsal";
const stack = `learning-platform-service-${rehearsalStage}`;

/** `serverless deploy` of the package, with its own checks, migration and smoke test. Returns its output. */
export function deployPackageToMoto(
  packaged: PackagedService,
  environment: Record<string, string>,
): Promise<string> {
  const words = ["deploy", "--package", packaged.folder, "--stage", rehearsalStage, "--region", awsRegion];
  const parent = path.dirname(packaged.folder);
  const env = {
    PATH: process.env["PATH"],
    HOME: parent,
    SLS_AWS_MONITORING_FREQUENCY: "100",
    ...environment,
  };
  const run = { cwd: path.join(parent, "project"), env, timeout: 600_000 };
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [serverless, ...words], run, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim();
      if (error) reject(new ToolFailure(`serverless deploy\n${said.split("\n").slice(-40).join("\n")}`));
      else resolve(said);
    }),
  );
}

/** Types of the template's resources: how many the stack has, and how many moto did not create. */
export async function listCreatedAndMissingResources(
  moto: MotoServerAndClient,
  { template }: PackagedService,
) {
  const listed = await moto.query("cloudformation", "ListStackResources", { StackName: stack });
  const created = new Map(
    [...listed.matchAll(/<member>(.*?)<\/member>/gs)].map(([, member = ""]) => [
      textOf(member, "LogicalResourceId"),
      textOf(member, "PhysicalResourceId"),
    ]),
  );
  const lacking = Map.groupBy(
    Object.entries(template.Resources).filter(([id]) => !created.has(id)),
    ([, { Type }]) => Type,
  );
  return { created, lacking: [...lacking].map(([type, some]) => `${type} (${some.length})`) };
}

const textOf = (xml: string, name: string): string =>
  new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1] ?? "";

type DeployedFunction = {
  FunctionName: string;
  Role: string;
  Environment: { Variables: Record<string, string> };
};

/** Faults of the deployed functions: each refers to the secret with its settings, and has a role of its own. */
export async function findSecretAndRoleFaults(
  moto: MotoServerAndClient,
  packaged: PackagedService,
  secret: string,
): Promise<string[]> {
  const { Functions } = await moto.read<{ Functions: DeployedFunction[] }>(
    "lambda",
    "/2015-03-31/functions/",
  );
  const found = new Map(Functions.map((one) => [one.FunctionName, one]));
  const settings = settingsByGroup(secret);
  const stored = new Map<string, string>();
  for (const group of Object.keys(settings)) {
    const name = `${secretOf(rehearsalStage)}/${group}`;
    stored.set(`{{resolve:secretsmanager:${name}}}`, (await readSecretSettings(name, {})).text);
  }
  const names = Object.keys(packaged.service.functions);
  const roles = new Set(Functions.map(({ Role }) => Role));
  return [
    ...names.flatMap((name) => {
      const deployed = found.get(`${stack}-${name}`);
      if (!deployed) return [`${name} was not created`];
      const reference = deployed.Environment.Variables["SECRET_SETTINGS"] ?? "";
      return stored.get(reference) === settings[secretGroupOf(name)] ? [] : [`${name} has ${reference}`];
    }),
    ...(roles.size === names.length ? [] : [`${names.length} functions have ${roles.size} roles`]),
  ];
}
