import { currentRequest, noteOnRequest } from "../../platform/async/request-context.ts";
import { scimPath } from "./protocol.ts";

/*
 * A directory's requests, for setting it up: the resource and the reason of a rejection, without personal
 * data.
 */

const directoryRequestLogMaxCharacters = { path: 128, detail: 255 };

/** Removes quoted texts, attribute values and addresses, so an error text can be stored. */
export const redactErrorText = (words: string): string =>
  words
    .slice(0, 2000)
    .replaceAll(/"[^"]{0,2000}"?/g, '"…"')
    .replaceAll(/value '[^']{0,2000}'?/g, "value '…'")
    .replaceAll(/[^\s'"/]{1,64}@[^\s'"/]{1,64}/g, "…")
    .replace(/^(User|Group) (?!\d{1,10} not).{1,64} not found$/s, "$1 … not found")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, directoryRequestLogMaxCharacters.detail)
    .toWellFormed();

export function annotateSuccessfulDirectoryRequest(location: string | undefined): void {
  noteOnRequest({ directory: { path: pathOf(location ?? currentRequest()?.path ?? "") } });
}

export function annotateRefusedDirectoryRequest(detail: string, scim_type: string | undefined): void {
  const path = pathOf(currentRequest()?.path ?? "");
  noteOnRequest({ directory: { path, scim_type, detail: redactErrorText(detail) } });
}

/** A foreign id may be anything, even a name. */
const foreignId = /^\/(?!(?:Schemas|ResourceTypes)\/)([^/]{1,64})\/(?!(?:\d{1,10}|\.search)$).{1,2000}/s;

const pathOf = (address: string): string =>
  redactErrorText(address.slice(address.indexOf(scimPath) + scimPath.length))
    .replace(foreignId, "/$1/…")
    .slice(0, directoryRequestLogMaxCharacters.path)
    .toWellFormed() || "/";
