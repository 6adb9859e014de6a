import createClient, { type ClientForPath, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./api.ts";
import { operations } from "./operations.ts";
import { sendSignedIn, type TokenStore } from "./session.ts";
import type { UploadOptions } from "./upload-options.ts";

export { dataOf, type ErrorBody, type Fault, ifMatch, PlatformError, type TutorQuestion } from "./errors.ts";
export { allOf, eachOf, pagesOf } from "./pages.ts";
export { inMemory, type TokenStore, type Tokens } from "./session.ts";
export {
  type Asking,
  askTutor,
  choiceOf,
  isClosedAside,
  readTutorEvents,
  StreamCut,
  type TutorEvent,
  type TutorSource,
} from "./tutor.ts";
export { UploadCut, type UploadOptions, type UploadProgress } from "./upload-options.ts";

/** The shapes of the API by their names, such as `Schemas["Course"]`. */
export type Schemas = components["schemas"];

type Operations = typeof operations;

/**
 * Sends a file to the store and answers it, READY or CHECKING. A large one goes in parts, of which those that are there
 * are not sent again. Throws a `PlatformError` for what the service refuses, an `UploadCut` where the network stays
 * away, and the signal's reason where it is aborted: then nothing of it is kept.
 */
export async function uploadFile(
  client: PlatformClient,
  file: Blob,
  options: UploadOptions,
): Promise<Schemas["StoredFile"]> {
  // Pages that send nothing do not load it.
  const { sendFile } = await import("./upload.ts");
  return sendFile(client, file, options);
}

/** A function for each operation, named by its id in the API document. */
export type PlatformClient = {
  [Id in keyof Operations]: ClientForPath<paths[Operations[Id]["path"]], `${string}/${string}`>[Uppercase<
    Operations[Id]["method"]
  >];
};

export type PlatformClientOptions = ClientOptions & {
  /** The service's address, such as `https://api.example.edu`. */
  baseUrl: string;
  /** Where the tokens of a sign-in are kept: they are sent along, and renewed when they expire. */
  session?: TokenStore;
  /** Instead of a session: the access token to send, asked for before each request. */
  token?: () => string | undefined | Promise<string | undefined>;
};

/**
 * A client whose parameters, bodies and answers are typed by the API document:
 * `await client.getCourse({ params: { path: { course_id: 7 } } })` answers `{ data }`, or `{ error }` as the service
 * sent it. An `Authorization` header of the caller's own is left as it is.
 */
export function createPlatformClient({ session, token, ...options }: PlatformClientOptions): PlatformClient {
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const client = createClient<paths>({
    ...options,
    fetch: session ? sendSignedIn(options.baseUrl, session, send) : send,
  });
  client.use({
    async onRequest({ request }) {
      const current = request.headers.has("Authorization") ? undefined : await token?.();
      if (current) request.headers.set("Authorization", `Bearer ${current}`);
      return request;
    },
  });
  const request = client.request as (method: string, path: string, init?: object) => Promise<unknown>;
  const functions = Object.entries(operations).map(([id, { method, path }]) => [
    id,
    (init?: object) => request(method, path, init),
  ]);
  return Object.fromEntries(functions);
}
