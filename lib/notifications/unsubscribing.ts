import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secrets } from "../secrets/encryption.ts";

/**
 * What a mail's reader ends its kind with, signed in or not: it names the person and is signed, so that nothing is
 * stored. It holds for as long as the key does, since a mail may be read years later, and does nothing else.
 */
export const unsubscribeToken = ({ SECRET_KEY }: Pick<Secrets, "SECRET_KEY">, personId: number): string =>
  `${personId}.${signatureOf(SECRET_KEY, personId)}`;

/** Whom such a token names, of this key or of the one before it; undefined for every other text. */
export function personOfToken(
  { SECRET_KEY, SECRET_KEY_PREVIOUS = SECRET_KEY }: Secrets,
  token: string,
): number | undefined {
  const [, id, signature] = /^([1-9]\d{0,9})\.([\w-]{43})$/.exec(token) ?? [];
  if (!id || !signature) return undefined;
  const isOf = (key: string) =>
    timingSafeEqual(Buffer.from(signatureOf(key, Number(id))), Buffer.from(signature));
  return isOf(SECRET_KEY) || isOf(SECRET_KEY_PREVIOUS) ? Number(id) : undefined;
}

/** The purpose is part of what is signed: no signature of another purpose is one of these. */
const signatureOf = (key: string, personId: number): string =>
  createHmac("sha256", key).update(`stop notification mail of ${personId}`).digest("base64url");
