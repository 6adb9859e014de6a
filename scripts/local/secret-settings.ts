import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { SecretSettings } from "./deployment.ts";

/** Reads the current version of a secret of AWS Secrets Manager as whoever deploys: with that profile, if one is named. */
export async function readSecretSettings(
  name: string,
  region: string,
  profile?: string,
): Promise<SecretSettings> {
  const client = new SecretsManagerClient({
    region,
    ...(profile && { credentials: defaultProvider({ profile }) }),
  });
  const found = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    throw new Error(`There is no secret ${name} in ${region}: docs/operations.md says what belongs into it`);
  });
  return { text: found.SecretString ?? "", version: found.VersionId ?? "" };
}
