import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SecretSettings } from "./deployment.ts";

/** Reads the current version of a secret of AWS Secrets Manager, as whoever deploys. */
export async function readSecretSettings(name: string, region: string): Promise<SecretSettings> {
  const client = new SecretsManagerClient({ region });
  const found = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    throw new Error(`There is no secret ${name} in ${region}: docs/operations.md says what belongs into it`);
  });
  return { text: found.SecretString ?? "", version: found.VersionId ?? "" };
}
