import { createHmac } from "node:crypto";
import { isSameInConstantTime } from "../../platform/secrets/constant-time.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";

/**
 * A signed token that unsubscribes a person without a sign-in and allows nothing else. Not stored; valid as
 * long as the key, as mails may be read years later.
 */
export const unsubscribeToken = (
  { SECRET_KEY }: Pick<EncryptionSecrets, "SECRET_KEY">,
  personId: number,
): string => `${personId}.${signatureOf(SECRET_KEY, personId)}`;

/** Signed by the current or previous key; undefined for other text. */
export function verifyUnsubscribeToken(
  { SECRET_KEY, SECRET_KEY_PREVIOUS = SECRET_KEY }: EncryptionSecrets,
  token: string,
): number | undefined {
  const [, id, signature] = /^([1-9]\d{0,9})\.([\w-]{43})$/.exec(token) ?? [];
  if (!id || !signature) return undefined;
  const isOf = (key: string) => isSameInConstantTime(signature, signatureOf(key, Number(id)));
  return isOf(SECRET_KEY) || isOf(SECRET_KEY_PREVIOUS) ? Number(id) : undefined;
}

/** The text includes the purpose: signatures for other purposes are invalid here. */
const signatureOf = (key: string, personId: number): string =>
  createHmac("sha256", key).update(`stop notification mail of ${personId}`).digest("base64url");
