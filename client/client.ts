import createClient, { type ClientForPath, type ClientOptions } from "openapi-fetch";
import { aliases } from "./aliases.ts";
import type { components, paths } from "./api.ts";
import { operations } from "./operations.ts";
import { sendSignedIn, type TokenStore } from "./session.ts";
import type { UploadOptions } from "./upload-options.ts";

export {
  dataOf,
  type ErrorBody,
  type FieldIssue,
  ifMatch,
  PlatformError,
  type TutorQuestion,
} from "./errors.ts";
export { allOf, eachOf, pagesOf } from "./pages.ts";
export { inMemory, type TokenStore, type Tokens } from "./session.ts";
export {
  type Asking,
  askTutor,
  choiceOf,
  isClosedAside,
  isOutdatedChoice,
  readTutorEvents,
  StreamCut,
  type TutorEvent,
  type TutorSource,
} from "./tutor.ts";
export { UploadCut, type UploadOptions, type UploadProgress } from "./upload-options.ts";

/** The API's schemas by name, such as `Schemas["Course"]`. */
export type Schemas = components["schemas"];

type Operations = typeof operations;

/**
 * Uploads a file and returns it, READY or CHECKING. Large files are sent in parts, and existing parts are
 * skipped. Throws a `PlatformError` if the service rejects it, an `UploadCut` if the network fails, and the
 * signal's reason on abort, which deletes the upload.
 */
export async function uploadFile(
  client: PlatformClient,
  file: Blob,
  options: UploadOptions,
): Promise<Schemas["StoredFile"]> {
  // Loaded on demand, for pages without uploads.
  const { sendFile } = await import("./upload.ts");
  return sendFile(client, file, options);
}

type Functions = {
  [Id in keyof Operations]: ClientForPath<paths[Operations[Id]["path"]], `${string}/${string}`>[Uppercase<
    Operations[Id]["method"]
  >];
};
type Aliases = typeof aliases;

/** A function per operation, named by its id in the API document, and aliases of a few. */
export type PlatformClient = Functions & { [Name in keyof Aliases]: Functions[Aliases[Name]] };

export type PlatformClientOptions = ClientOptions & {
  /** The service's URL, such as `https://api.example.edu`. */
  baseUrl: string;
  /** Token storage. Tokens are sent, and renewed when they expire. */
  session?: TokenStore;
  /** Instead of a session: returns the access token, called before each request. */
  token?: () => string | undefined | Promise<string | undefined>;
};

/**
 * A client with types from the API document: `await client.getCourse({ params: { path: { course_id: 7 } } })`
 * returns `{ data }`, or `{ error }` as sent by the service. Keeps an `Authorization` header of the caller.
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
  const functionOf = (id: keyof Operations) => {
    const { method, path } = operations[id];
    return (init?: object) => request(method, path, init);
  };
  const ids = Object.keys(operations).map((id) => [id, id]);
  const named = [...ids, ...Object.entries(aliases)] as [name: string, id: keyof Operations][];
  return Object.fromEntries(named.map(([name, id]): unknown[] => [name, functionOf(id)]));
}
