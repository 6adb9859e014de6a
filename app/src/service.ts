import { createPlatformClient, type PlatformClient, type TokenStore } from "learning-platform-client";
import { draftStorage } from "./draft-storage.ts";
import { storableJson } from "./storable.ts";
import { currentLanguage } from "./texts.ts";
import { memoryTokens, tokenStorage } from "./token-storage.ts";

const { service = ".", prefix = "/api/v1", name = "" } = document.documentElement.dataset;

/** What the operator calls this platform. */
export const platformName = name;

/** Where the service is, as seen from this page. */
const root = new URL(service, location.href).href.replace(/\/$/, "");

/** The client writes the usual prefix into its paths; a deployment may have another. */
const usualPrefix = "/api/v1";

/** What is refused is said in the language of whoever reads it. */
const send = async (request: Request): Promise<Response> => {
  const answer = await fetch(
    prefix === usualPrefix
      ? request
      : new Request(request.url.replace(root + usualPrefix, root + prefix), request),
  );
  const isStream = answer.headers.get("Content-Type")?.startsWith("text/event-stream");
  // What a stream ends with is said in the service's own words, which are English.
  const mayRefuse = !answer.ok || (isStream && currentLanguage() !== "en");
  if (!mayRefuse) return answer;
  return import("./refusal-words.ts").then(
    ({ inReadersWords }) => inReadersWords(answer),
    () => answer,
  );
};

/** The full address of a path of the API, for links that a browser follows by itself. */
export const addressOf = (path: string): string => root + prefix + path;

/** A client that is signed in by those tokens. */
export const clientOf = (session: TokenStore): PlatformClient =>
  createPlatformClient({
    ...{ baseUrl: root, session, credentials: "omit", fetch: send },
    bodySerializer: storableJson,
  });

/** Whether an LMS has launched this page, in a frame of its own. */
export const isEmbedded = /\/embed\/\d+$/.test(location.pathname);

export const tokens = isEmbedded ? memoryTokens() : tokenStorage(`${root}${prefix}`);

/** What people have written here and not sent. */
export const drafts = draftStorage(`${root}${prefix}`);

/** The API, as whoever is signed in. */
export const api = clientOf(tokens);
