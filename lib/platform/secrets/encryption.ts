import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Config } from "../../config.ts";

const algorithm = "aes-256-gcm";
const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM under a key derived from `secret` for `purpose`. Printable: `v1.` and base64url. */
export function encrypt(text: string, secret: string, purpose: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, deriveEncryptionKey(secret, purpose), iv).setAAD(
    Buffer.from(purpose),
  );
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64url")}`;
}

/** Throws if secret or purpose differ, or the text was altered. */
export function decrypt(encrypted: string, secret: string, purpose: string): string {
  const [written, body = ""] = encrypted.split(".");
  if (written !== version) throw new Error("unknown version of encryption");
  const bytes = Buffer.from(body, "base64url");
  const iv = bytes.subarray(0, ivBytes);
  const tag = bytes.subarray(ivBytes, ivBytes + tagBytes);
  const decipher = createDecipheriv(algorithm, deriveEncryptionKey(secret, purpose), iv, {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(tag);
  return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
}

/** During rotation, with the previous secret. */
export type EncryptionSecrets = Pick<Config, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

/** Also whether the previous secret decrypted it: then encrypt it again. Throws like `decrypt`. */
export function decryptByCurrentOrPrevious(
  encrypted: string,
  { SECRET_KEY, SECRET_KEY_PREVIOUS }: EncryptionSecrets,
  purpose: string,
): { text: string; isOutdated: boolean } {
  try {
    return { text: decrypt(encrypted, SECRET_KEY, purpose), isOutdated: false };
  } catch (error) {
    if (!SECRET_KEY_PREVIOUS) throw error;
    return { text: decrypt(encrypted, SECRET_KEY_PREVIOUS, purpose), isOutdated: true };
  }
}

/** HKDF: tokens are signed with the same secret, and no two uses may share a key. */
export const deriveEncryptionKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32));
