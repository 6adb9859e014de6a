import { noteOnRequest } from "../../platform/async/request-context.ts";
import { type ParsedApiKey, readKey } from "./api-key-format.ts";

export const bearerText = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

/**
 * The API key in an Authorization header, if it has that form. Its id is logged even if there is no such key.
 */
export function readAndLogApiKey(authorization: string | undefined): ParsedApiKey | undefined {
  const key = readKey(bearerText(authorization) ?? "");
  if (key) noteOnRequest({ account: `lk_${key.id}`, api_key: key.id, key_hash: key.hash });
  return key;
}
