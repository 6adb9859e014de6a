import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

/** A version of the secret with a stage's settings. */
export type SecretSettings = { text: string; version: string };

type ClientConfig = NonNullable<ConstructorParameters<typeof SecretsManagerClient>[0]>;

/** Reads the current version of an AWS Secrets Manager secret, with credentials and region of `config`. */
export async function readSecretSettings(name: string, config: ClientConfig): Promise<SecretSettings> {
  const client = new SecretsManagerClient(config);
  const found = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    throw new Error(`The region has no secret ${name}. docs/operations.md lists its content`);
  });
  return { text: found.SecretString ?? "", version: found.VersionId ?? "" };
}
