import { noteOnRequest } from "../async/request-context.ts";
import { type KeyText, readKey } from "./key-text.ts";

/** What an Authorization header bears, a token or a key. */
export const bearerText = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

/** The key for machines in an Authorization header, if one is spelled there; it is noted, whether or not there is such a key. */
export function noteKey(authorization: string | undefined): KeyText | undefined {
  const key = readKey(bearerText(authorization) ?? "");
  if (key) noteOnRequest({ account: `lk_${key.id}`, api_key: key.id, key_hash: key.hash });
  return key;
}
