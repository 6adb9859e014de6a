import { createPlatformClient, type PlatformClient, type TokenStore } from "learning-platform-client";
import { createDraftStorage } from "./draft-storage.ts";
import { stringifyStorableJson } from "./storable.ts";
import { currentLanguage } from "./texts.ts";
import { createBrowserTokenStorage, createMemoryTokenStorage } from "./token-storage.ts";

const { service = ".", prefix = "/api/v1", name = "", ...others } = document.documentElement.dataset;

/** The operator's name for this platform. */
export const platformName = name;

/** The currency of costs, an ISO 4217 code. */
export const currencyCode = others["currency"] ?? "USD";

const root = new URL(service, location.href).href.replace(/\/$/, "");

/** The prefix in the client's paths. A deployment may use another. */
const defaultApiPrefix = "/api/v1";

/** Translates errors into the reader's language. */
const send = async (request: Request): Promise<Response> => {
  const answer = await fetch(
    prefix === defaultApiPrefix
      ? request
      : new Request(request.url.replace(root + defaultApiPrefix, root + prefix), request),
  );
  const isStream = answer.headers.get("Content-Type")?.startsWith("text/event-stream");
  // The last event of a stream may be an error, in English.
  const mayRefuse = !answer.ok || (isStream && currentLanguage() !== "en");
  if (!mayRefuse) return answer;
  return import("./translate-error-responses.ts").then(
    ({ translateErrorResponse }) => translateErrorResponse(answer),
    () => answer,
  );
};

/**
 * For operations that use a cookie: of a device that signed in before, or of a window that an LMS opened. Others send
 * none.
 */
export const sendCookiesOption = { credentials: "same-origin" } as const;

/** An API path as a full URL, for links that the browser follows. */
export const apiUrl = (path: string): string => root + prefix + path;

export const createSessionApiClient = (session: TokenStore): PlatformClient =>
  createPlatformClient({
    ...{ baseUrl: root, session, credentials: "omit", fetch: send },
    bodySerializer: stringifyStorableJson,
  });

/** Whether an LMS launched this page in a frame. */
export const isEmbeddedInLms = /\/embed\/\d+$/.test(location.pathname);

export const tokenStore = isEmbeddedInLms
  ? createMemoryTokenStorage()
  : createBrowserTokenStorage(`${root}${prefix}`);

export const draftStore = createDraftStorage(`${root}${prefix}`);

export const apiClient = createSessionApiClient(tokenStore);
