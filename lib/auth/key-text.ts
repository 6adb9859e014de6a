import { createHash, randomBytes } from "node:crypto";

/** What a key says of itself: which one it is, and the hash that it is known by. */
export type KeyText = { id: number; hash: string };

/** 32 random bytes, as they stand in a key. */
export const randomKeyPart = (): string => randomBytes(32).toString("base64url");

/** A key as it is told once: `lk_<id>_<32 bytes>`. */
export const keyText = (id: number, part: string): string => `lk_${id}_${part}`;

/** SHA-256 of its random part, in hex: of 256 random bits nothing slower is needed. */
export const hashOf = (part: string): string => createHash("sha256").update(part).digest("hex");

/** Reads a key; undefined for every other string, such as a token of a person. */
export function readKey(text: string): KeyText | undefined {
  const [, id, part] = /^lk_([1-9]\d{0,8})_([\w-]{43})$/.exec(text) ?? [];
  return id && part ? { id: Number(id), hash: hashOf(part) } : undefined;
}
