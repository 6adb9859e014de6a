import type { CloudCredentials } from "./bedrock.ts";

/** Long-lived keys, or temporary ones with their session token. */
export type CloudKeys = Omit<CloudCredentials, "expiration">;

/** What may be shown of stored keys. */
export type KeyRecord = { access_key_id_last4: string; updated_at: string; updated_by: number | null };

/** Who stores keys, and when. */
export type Author = { id: number; now: Date };

/** Whose keys they are: a university's, by its id, or with null the platform's. */
export type KeyOwner = number | null;

/** Where keys of cloud accounts are kept, encrypted. Each owner has one pair at a time: writing replaces it. */
export type CredentialStore = {
  /** The owner's keys themselves; undefined when it has none. Throws `UnreadableCredentialsError`. */
  read(owner: KeyOwner): Promise<CloudKeys | undefined>;
  /** What may be shown of them; undefined when there are none. */
  describe(owner: KeyOwner): Promise<KeyRecord | undefined>;
  write(owner: KeyOwner, keys: CloudKeys, author: Author): Promise<KeyRecord>;
  /** Whether there were any. */
  remove(owner: KeyOwner): Promise<boolean>;
};

/** There are stored keys that cannot be read: most often SECRET_KEY is not the one they were encrypted under. */
export class UnreadableCredentialsError extends Error {
  override name = "UnreadableCredentialsError";

  constructor() {
    super("the stored cloud credentials cannot be read");
  }
}

export const last4 = (accessKeyId: string): string => accessKeyId.slice(-4);

/** The store of a process that has none: whoever asks it has a fault in their wiring. */
const refuse = async (): Promise<never> => {
  throw new Error("this function has no credential store");
};
export const refusingStore: CredentialStore = {
  read: refuse,
  describe: refuse,
  write: refuse,
  remove: refuse,
};
