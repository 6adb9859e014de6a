import type { CloudCredentials } from "./bedrock.ts";

/** Long-lived keys, or temporary ones with their session token. */
export type CloudKeys = Omit<CloudCredentials, "expiration">;

export type CloudKeyDescription = {
  access_key_id_last4: string;
  updated_at: string;
  updated_by: number | null;
};

export type CredentialAuthor = { id: number; now: Date };

/** Null for the platform. */
export type KeyOwner = number | null;

/** Encrypted. One key pair per owner. */
export type CredentialStore = {
  /** Throws `UnreadableCredentialsError`. */
  read(owner: KeyOwner): Promise<CloudKeys | undefined>;
  describe(owner: KeyOwner): Promise<CloudKeyDescription | undefined>;
  write(owner: KeyOwner, keys: CloudKeys, author: CredentialAuthor): Promise<CloudKeyDescription>;
  remove(owner: KeyOwner): Promise<boolean>;
};

/** The keys cannot be decrypted, usually because SECRET_KEY changed. */
export class UnreadableCredentialsError extends Error {
  override name = "UnreadableCredentialsError";

  constructor() {
    super("the stored cloud credentials cannot be read");
  }
}

export const last4 = (accessKeyId: string): string => accessKeyId.slice(-4);

/** For processes without a store: a call is a wiring error. */
const refuse = async (): Promise<never> => {
  throw new Error("this function has no credential store");
};
export const refusingCredentialStore: CredentialStore = {
  read: refuse,
  describe: refuse,
  write: refuse,
  remove: refuse,
};
