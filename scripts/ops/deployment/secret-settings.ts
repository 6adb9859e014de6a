import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";

/** A version of the secret with a stage's settings. */
export type SecretSettings = { text: string; version: string };

type ClientConfig = NonNullable<ConstructorParameters<typeof SecretsManagerClient>[0]>;

/** The current version of a secret in AWS Secrets Manager, or undefined. `config` has the credentials and the region. */
async function findSecretSettings(name: string, config: ClientConfig): Promise<SecretSettings | undefined> {
  const client = new SecretsManagerClient(config);
  const found = await client.send(new GetSecretValueCommand({ SecretId: name })).catch((error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    return undefined;
  });
  return found && { text: found.SecretString ?? "", version: found.VersionId ?? "" };
}

/** Throws if the secret does not exist. */
export async function readSecretSettings(name: string, config: ClientConfig): Promise<SecretSettings> {
  const found = await findSecretSettings(name, config);
  if (!found) throw new Error(`The region has no secret ${name}. docs/operations.md lists its content`);
  return found;
}

/** Creates the secret, or adds a version if its text differs. */
export async function writeSecretSettings(name: string, text: string, config: ClientConfig): Promise<void> {
  const found = await findSecretSettings(name, config);
  if (found?.text === text) return;
  const client = new SecretsManagerClient(config);
  if (found) await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: text }));
  else await client.send(new CreateSecretCommand({ Name: name, SecretString: text }));
}
