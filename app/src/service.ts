import { createPlatformClient, type PlatformClient, type TokenStore } from "learning-platform-client";
import { draftStorage } from "./draft-storage.ts";
import { tokenStorage } from "./token-storage.ts";

const { service = ".", prefix = "/api/v1", name = "" } = document.documentElement.dataset;

/** What the operator calls this platform. */
export const platformName = name;

/** Where the service is, as seen from this page. */
const root = new URL(service, location.href).href.replace(/\/$/, "");

/** The client writes the usual prefix into its paths; a deployment may have another. */
const usualPrefix = "/api/v1";

const send = (request: Request): Promise<Response> => {
  if (prefix === usualPrefix) return fetch(request);
  return fetch(new Request(request.url.replace(root + usualPrefix, root + prefix), request));
};

/** The full address of a path of the API, for links that a browser follows by itself. */
export const addressOf = (path: string): string => root + prefix + path;

/** A client that is signed in by those tokens. */
export const clientOf = (session: TokenStore): PlatformClient =>
  createPlatformClient({ baseUrl: root, session, credentials: "omit", fetch: send });

export const tokens = tokenStorage(`${root}${prefix}`);

/** What people have written here and not sent. */
export const drafts = draftStorage(`${root}${prefix}`);

/** The API, as whoever is signed in. */
export const api = clientOf(tokens);
