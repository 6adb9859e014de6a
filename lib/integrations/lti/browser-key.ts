import { createHash, randomBytes } from "node:crypto";
import { isSameInConstantTime } from "../../platform/secrets/constant-time.ts";

/** A key that only one browser has, by a random name. A sealed state carries its hash. */
export function createBrowserKey(): { name: string; key: string; key_hash: string } {
  const key = randomBytes(24).toString("base64url");
  return { name: randomBytes(9).toString("base64url"), key, key_hash: hashOf(key) };
}

export const matchesBrowserKeyHash = ({ key_hash }: { key_hash: string }, key: string): boolean =>
  isSameInConstantTime(hashOf(key), key_hash);

const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
