/** `npm run interop aws`: rehearses a deployment on moto, a stand-in for AWS. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsRegion, installMoto, type MotoServerAndClient, startMoto } from "../../proof/aws-check/moto.ts";
import {
  deployPackageToMoto,
  findSecretAndRoleFaults,
  listCreatedAndMissingResources,
  rehearsalStage,
} from "../../proof/aws-check/rehearsal.ts";
import { exerciseBucketStore, exerciseSecretsManagerStore } from "../../proof/aws-check/stores.ts";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import { packageService } from "../build/package-service.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import { secretOf } from "../ops/deployment/preflight.ts";

commandLine({
  usage: `npm run interop aws

Packages the service and deploys it to moto, a stand-in for AWS from PyPI, with the command, checks and smoke test of a real
deployment. Then stores credentials in its Secrets Manager and a file in its S3. A missing program is named and is no failure.`,
});

const unproven = `Not proven, because moto does not do it: references to secrets that CloudFormation resolves, permissions of roles, API Gateway's routes and streams, running the functions on
arm64, schedules and log subscriptions that fire, alarms that notify, Bedrock, and mail.`;

async function rehearse(folder: string, moto: MotoServerAndClient): Promise<void> {
  const packaged = await packageService(folder, [
    "--stage",
    rehearsalStage,
    "--region",
    awsRegion,
    "--param=alarms=true",
  ]);
  // The smoke test needs a running service, which moto does not offer.
  await using started = new AsyncDisposableStack();
  const platform = started.adopt(await startOwnPlatform(folder), (one) => one.stop());
  const credentials = {
    ...{ AWS_ENDPOINT_URL: moto.url, AWS_REGION: awsRegion },
    ...{ AWS_ACCESS_KEY_ID: "rehearsal", AWS_SECRET_ACCESS_KEY: "rehearsal" },
  };
  Object.assign(process.env, credentials);
  const secret = JSON.stringify({
    DATABASE_URL: platform.config.DATABASE_URL,
    SECRET_KEY: randomBytes(32).toString("hex"),
    LLM_PROVIDER: "cloud_managed",
    PUBLIC_URL: platform.base,
  });
  const client = new SecretsManagerClient({});
  await client.send(new CreateSecretCommand({ Name: secretOf(rehearsalStage), SecretString: secret }));
  await deployPackageToMoto(packaged, credentials);
  console.log("serverless deploy  ok: checked, uploaded, migrated, replaced, and smoke-tested");

  const { created, lacking } = await listCreatedAndMissingResources(moto, packaged);
  console.log(`CloudFormation     ok: ${created.size} resources`);
  if (lacking.length > 0) console.log(`                   moto lacks ${lacking.join(", ")}`);
  const faults = await findSecretAndRoleFaults(moto, packaged, secret);
  if (faults.length > 0) throw new ToolFailure(faults.join("\n"));
  console.log("Lambda             ok: each function has its own role, and refers to its group's secret");
  await exerciseSecretsManagerStore(`learning-platform/${rehearsalStage}/cloud-credentials`);
  console.log("Secrets Manager    ok: credentials of the platform and a university");
  await exerciseBucketStore(created.get("FilesBucket") ?? "", moto.url);
  console.log("S3                 ok: a file in the template's bucket");
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-aws-check-"));
let moto: MotoServerAndClient | undefined;
try {
  const missing = await findMissingTool(["python3"]);
  if (missing) console.log(`Nothing was checked: ${missing} is not installed.`);
  else {
    const program = await installMoto(folder).catch((error: unknown) => {
      if (!(error instanceof ToolFailure)) throw error;
      console.log(`Nothing was checked: moto cannot be installed from PyPI here.\n${error.message}`);
      return undefined;
    });
    if (program) {
      moto = await startMoto(program);
      await rehearse(folder, moto);
      console.log(unproven);
    }
  }
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  await moto?.stop();
  await rm(folder, { recursive: true, force: true });
}
