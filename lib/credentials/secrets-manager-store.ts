import type { GetSecretValueCommandOutput, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { unavailable } from "../errors.ts";
import {
  type CloudKeys,
  type CredentialStore,
  type KeyOwner,
  type KeyRecord,
  last4,
  UnreadableCredentialsError,
} from "../llm/credential-store.ts";

export type SecretsManagerOptions = {
  region: string;
  /** The name of the platform's secret in the account; `…/7` is that of university 7. */
  secretId: string;
  /** Told once of an access that is denied. */
  log: { warn(fields: object, message: string): void };
};

/** What the secret holds: one JSON object, so that keys and record change together. */
type Secret = { keys: CloudKeys; record: KeyRecord };

type Aws = typeof import("@aws-sdk/client-secrets-manager");
type Connection = { aws: Aws; client: SecretsManagerClient };

/**
 * Keeps the keys in AWS Secrets Manager, with the function's own role. The client is loaded by the first use and
 * kept. A value that was replaced stays there as the secret's previous version, as that service has it.
 * What is scheduled for deletion is not stored any more, and what may not be read was never: that service denies access
 * to names that it does not know. Writing restores the one, and makes the other. 503 when it refuses that, or is out of
 * reach.
 */
export function secretsManagerStore({ region, secretId, log }: SecretsManagerOptions): CredentialStore {
  let connected: Promise<Connection> | undefined;

  let isDenialTold = false;

  /** Answers undefined for the failures that are expected; every other is a 503. */
  async function attempt<T>(
    call: (connection: Connection) => Promise<T>,
    expected: readonly string[] = [],
  ): Promise<T | undefined> {
    connected ??= connect(region);
    try {
      return await call(await connected);
    } catch (error) {
      if (nameOf(error) === denied && expected.includes(denied)) tellDenial();
      if (expected.includes(nameOf(error))) return undefined;
      throw unavailable("credential_store_unreachable", new SecretsManagerFailure(nameOf(error)));
    }
  }

  /** A role that may not read what is there looks the same: whoever wonders why stored keys are not used finds this. */
  function tellDenial(): void {
    if (!isDenialTold)
      log.warn({ secretId }, "access to the credential store is denied: nothing is stored there");
    isDenialTold = true;
  }

  const idOf = (owner: KeyOwner) => (owner === null ? secretId : `${secretId}/${owner}`);

  const get = (SecretId: string) =>
    attempt(({ aws, client }) => client.send(new aws.GetSecretValueCommand({ SecretId })), notStored);

  return {
    read: async (owner) => parsed(await get(idOf(owner)))?.keys,
    describe: async (owner) => parsed(await get(idOf(owner)))?.record,

    async write(owner, keys, { id, now }) {
      const SecretId = idOf(owner);
      const record = {
        access_key_id_last4: last4(keys.accessKeyId),
        updated_at: now.toISOString(),
        updated_by: id,
      };
      const SecretString = JSON.stringify({ keys, record } satisfies Secret);
      const put = ({ aws, client }: Connection) =>
        client.send(new aws.PutSecretValueCommand({ SecretId, SecretString }));
      const create = ({ aws, client }: Connection) =>
        client.send(new aws.CreateSecretCommand({ Name: SecretId, SecretString }));
      const restore = ({ aws, client }: Connection) =>
        client.send(new aws.RestoreSecretCommand({ SecretId }));
      // Of two that create the secret at once, the later replaces the earlier's value.
      if (await attempt(put, notStored)) return record;
      if (await attempt(create, [taken, scheduledForDeletion])) return record;
      await attempt(restore, [missing, denied]);
      await attempt(put);
      return record;
    },

    async remove(owner) {
      const SecretId = idOf(owner);
      if (!(await get(SecretId))) return false;
      // Without the window in which it could be restored, during which nothing new could take its name.
      const ForceDeleteWithoutRecovery = true;
      await attempt(({ aws, client }) =>
        client.send(new aws.DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery })),
      );
      return true;
    },
  };
}

async function connect(region: string): Promise<Connection> {
  const aws = await import("@aws-sdk/client-secrets-manager");
  return { aws, client: new aws.SecretsManagerClient({ region, maxAttempts: 3 }) };
}

const missing = "ResourceNotFoundException";
/** Its name for a secret that waits for its deletion. */
const scheduledForDeletion = "InvalidRequestException";
const denied = "AccessDeniedException";
const notStored = [missing, scheduledForDeletion, denied];
const taken = "ResourceExistsException";

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** What may be logged of a failure: the service's own words can quote what it was sent. */
class SecretsManagerFailure extends Error {
  override name = "SecretsManagerFailure";
}

function parsed(found: GetSecretValueCommandOutput | undefined): Secret | undefined {
  if (!found) return undefined;
  try {
    return JSON.parse(found.SecretString ?? "") as Secret;
  } catch {
    throw new UnreadableCredentialsError();
  }
}
