import { noteOnRequest } from "../../platform/async/request-context.ts";
import { type ParsedApiKey, parseApiKey } from "./api-key-format.ts";

export const parseBearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];

/** Undefined if the Authorization header has another form. Logs the id even if there is no such key. */
export function readAndLogApiKey(authorization: string | undefined): ParsedApiKey | undefined {
  const key = parseApiKey(parseBearerToken(authorization) ?? "");
  if (key) noteOnRequest({ account: `lk_${key.id}`, api_key: key.id, key_hash: key.hash });
  return key;
}
