import { createHash, randomBytes } from "node:crypto";

/** A key is looked up by its hash. */
export type ParsedApiKey = { id: number; hash: string };

/** 32 random bytes in base64url. */
export const randomApiKeySecret = (): string => randomBytes(32).toString("base64url");

/** Shown once, on creation: `lk_<id>_<32 bytes>`. */
export const formatApiKey = (id: number, part: string): string => `lk_${id}_${part}`;

/** SHA-256 in hex. 256 random bits need no slow hash. */
export const hashApiKeySecret = (part: string): string => createHash("sha256").update(part).digest("hex");

/** Undefined for other strings, such as access tokens. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const [, id, part] = /^lk_([1-9]\d{0,8})_([\w-]{43})$/.exec(text) ?? [];
  return id && part ? { id: Number(id), hash: hashApiKeySecret(part) } : undefined;
}
