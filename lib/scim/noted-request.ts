import { currentRequest, noteOnRequest } from "../async/request-context.ts";
import { scimPath } from "./protocol.ts";

/*
 * What is noted of a directory's request for whoever sets it up: which resource it was about and why it was refused, and
 * nothing of a person that was sent.
 */

const longest = { path: 128, detail: 255 };

/**
 * A refusal's words without the values that were sent: texts in double quotes, values of attributes, and addresses. It
 * can be stored. Pure.
 */
export const withoutValues = (words: string): string =>
  words
    .slice(0, 2000)
    .replaceAll(/"[^"]{0,2000}"?/g, '"…"')
    .replaceAll(/value '[^']{0,2000}'?/g, "value '…'")
    .replaceAll(/[^\s'"/]{1,64}@[^\s'"/]{1,64}/g, "…")
    .replace(/^(User|Group) (?!\d{1,10} not).{1,64} not found$/s, "$1 … not found")
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, longest.detail)
    .toWellFormed();

/** Notes the request that is being answered, where the answer has made something with the address of that. */
export function noteDone(location: string | undefined): void {
  noteOnRequest({ directory: { path: pathOf(location ?? currentRequest()?.path ?? "") } });
}

/** The same, where it is refused. */
export function noteRefused(detail: string, scim_type: string | undefined): void {
  const path = pathOf(currentRequest()?.path ?? "");
  noteOnRequest({ directory: { path, scim_type, detail: withoutValues(detail) } });
}

/** An id that is none of the service's may be anything, a name among them. */
const foreignId = /^\/(?!(?:Schemas|ResourceTypes)\/)([^/]{1,64})\/(?!(?:\d{1,10}|\.search)$).{1,2000}/s;

const pathOf = (address: string): string =>
  withoutValues(address.slice(address.indexOf(scimPath) + scimPath.length))
    .replace(foreignId, "/$1/…")
    .slice(0, longest.path)
    .toWellFormed() || "/";
