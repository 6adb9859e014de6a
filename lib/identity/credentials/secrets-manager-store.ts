import type { GetSecretValueCommandOutput, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { unavailable } from "../../errors.ts";
import {
  type CloudKeyDescription,
  type CloudKeys,
  type CredentialStore,
  type KeyOwner,
  last4,
  UnreadableCredentialsError,
} from "../../platform/llm/credential-store.ts";

export type SecretsManagerOptions = {
  region: string;
  /** The platform's secret in AWS. University 7 has `…/7`. */
  secretId: string;
  /** One warning if access is denied. */
  log: { warn(fields: object, message: string): void };
};

/** One JSON object, so credentials and record change together. */
type Secret = { keys: CloudKeys; record: CloudKeyDescription };

type Aws = typeof import("@aws-sdk/client-secrets-manager");
type Connection = { aws: Aws; client: SecretsManagerClient };

/**
 * AWS Secrets Manager with the function's role. Loads the client on first use. Previous values remain as that
 * service's previous version. A secret scheduled for deletion counts as missing, and so does a denied one:
 * AWS denies unknown names. Writing restores or creates it. 503 on failure.
 */
export function secretsManagerStore({ region, secretId, log }: SecretsManagerOptions): CredentialStore {
  let connected: Promise<Connection> | undefined;

  let isDenialTold = false;

  /** Undefined for expected failures. All others are a 503. */
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

  /** Missing read permission looks like a missing secret, so a hint is logged. */
  function tellDenial(): void {
    if (!isDenialTold)
      log.warn({ secretId }, "access to the credential store is denied, so no stored credentials are used");
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
      // If two callers create the secret concurrently, the later value wins.
      if (await attempt(put, notStored)) return record;
      if (await attempt(create, [taken, scheduledForDeletion])) return record;
      await attempt(restore, [missing, denied]);
      await attempt(put);
      return record;
    },

    async remove(owner) {
      const SecretId = idOf(owner);
      if (!(await get(SecretId))) return false;
      // Without the recovery window, during which the name would be blocked.
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
/** AWS's error name. */
const scheduledForDeletion = "InvalidRequestException";
const denied = "AccessDeniedException";
const notStored = [missing, scheduledForDeletion, denied];
const taken = "ResourceExistsException";

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** Loggable: AWS messages may quote the request. */
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
