import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../config.ts";

type Key = Pick<Config, "SECRET_KEY">;

/**
 * What a mail's reader ends its kind with, signed in or not: it names the person and is signed, so that nothing is
 * stored. It holds for as long as the key does, since a mail may be read years later, and does nothing else.
 */
export const unsubscribeToken = (config: Key, personId: number): string =>
  `${personId}.${signatureOf(config, personId)}`;

/** Whom such a token names; undefined for every other text. */
export function personOfToken(config: Key, token: string): number | undefined {
  const [, id, signature] = /^([1-9]\d{0,9})\.([\w-]{43})$/.exec(token) ?? [];
  if (!id || !signature) return undefined;
  const expected = Buffer.from(signatureOf(config, Number(id)));
  return timingSafeEqual(expected, Buffer.from(signature)) ? Number(id) : undefined;
}

/** The purpose is part of what is signed: no signature of another purpose is one of these. */
const signatureOf = ({ SECRET_KEY }: Key, personId: number): string =>
  createHmac("sha256", SECRET_KEY).update(`stop notification mail of ${personId}`).digest("base64url");
