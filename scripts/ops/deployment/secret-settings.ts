import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

/** A version of the secret that holds a stage's settings. */
export type SecretSettings = { text: string; version: string };

type ClientConfig = NonNullable<ConstructorParameters<typeof SecretsManagerClient>[0]>;

/** Reads the current version of a secret of AWS Secrets Manager, as whom and where `config` says. */
export async function readSecretSettings(name: string, config: ClientConfig): Promise<SecretSettings> {
  const client = new SecretsManagerClient(config);
  const found = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    throw new Error(`There is no secret ${name} in the region: docs/operations.md says what belongs into it`);
  });
  return { text: found.SecretString ?? "", version: found.VersionId ?? "" };
}
