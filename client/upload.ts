import type { PlatformClient, Schemas } from "./client.ts";
import { dataOf, PlatformError } from "./errors.ts";
import { UploadCut, type UploadOptions } from "./upload-options.ts";

type Piece = { url: string; headers: Record<string, string>; body: Blob; number?: number };

export async function sendFile(
  client: PlatformClient,
  file: Blob,
  options: UploadOptions,
): Promise<Schemas["StoredFile"]> {
  const { signal, resume } = options;
  const promised =
    resume === undefined
      ? await dataOf(client.createFile({ body: promiseOf(file, options), ...(signal && { signal }) }))
      : await dataOf(client.getFile({ params: { path: { file_id: resume } }, ...(signal && { signal }) }));
  try {
    if (promised.state !== "PENDING") return promised;
    await sendAll(client, file, promised, options);
    return await retried(
      () =>
        dataOf(
          client.completeFile({
            params: { path: { file_id: promised.id } },
            body: {},
            ...(signal && { signal }),
          }),
        ),
      options,
      isAway,
    );
  } catch (error) {
    if (signal?.aborted) {
      client.deleteFile({ params: { path: { file_id: promised.id } } }).catch(() => {});
      throw signal.reason;
    }
    throw isAway(error) ? new UploadCut(promised.id, error) : error;
  }
}

/** A failure of the network, the service or the store. Uploaded parts remain. */
const isAway = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof PlatformError && error.status >= 500);

function promiseOf(file: Blob, options: UploadOptions): Schemas["FileCreate"] {
  const { name, onProgress: _, signal: __, resume: ___, tries: ____, ...scope } = options;
  return {
    ...scope,
    name: name ?? ("name" in file ? String(file.name) : "file"),
    size: file.size,
    media_type: file.type || "application/octet-stream",
  };
}

/** Concurrent parts. */
const atOnce = 3;

async function sendAll(
  client: PlatformClient,
  file: Blob,
  promised: Schemas["StoredFile"],
  options: UploadOptions,
): Promise<void> {
  const sent = new Map<number, number>();
  const tell = () => {
    const sum = [...sent.values()].reduce((one, other) => one + other, 0);
    options.onProgress?.({ sent: Math.min(sum, file.size), total: file.size });
  };
  for (const part of promised.upload?.parts ?? []) if (part.url === null) sent.set(part.number, part.size);
  tell();
  const left = piecesOf(file, promised);
  const work = async () => {
    for (let piece = left.shift(); piece; piece = left.shift()) {
      const key = piece.number ?? 0;
      let current: Piece = piece;
      await retried(
        () =>
          send(current, options.signal, (bytes) => {
            sent.set(key, bytes);
            tell();
          }),
        options,
        async (error) => {
          if (!(error instanceof TypeError)) return false;
          // The signed URLs may have expired: request new ones.
          const anew = await client
            .getFile({ params: { path: { file_id: promised.id } } })
            .catch(() => undefined);
          current =
            (anew?.data && piecesOf(file, anew.data).find(({ number }) => number === piece.number)) ??
            current;
          return true;
        },
      );
      sent.set(key, piece.body.size);
      tell();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, work));
}

/** Parts that are not uploaded yet. */
function piecesOf(file: Blob, { upload }: Schemas["StoredFile"]): Piece[] {
  if (!upload) return [];
  if (upload.url) return [{ url: upload.url, headers: upload.headers, body: file }];
  return (upload.parts ?? []).flatMap(({ number, url, headers, offset, size }) =>
    url === null ? [] : [{ number, url, headers, body: file.slice(offset, offset + size) }],
  );
}

/**
 * Rejects with a `TypeError`, as `fetch` does, if the network or store is down; with another `Error` if the
 * store rejects the part.
 */
async function send(
  { url, headers, body }: Piece,
  signal: AbortSignal | undefined,
  onBytes: (sent: number) => void,
): Promise<void> {
  const status = await (browsersRequest === undefined
    ? fetch(url, { method: "PUT", headers, body, ...(signal && { signal }) }).then((answer) => answer.status)
    : sendByRequest(url, headers, body, signal, onBytes));
  if (status >= 200 && status < 300) return;
  // Expired URLs are renewed, and a failing store may recover.
  if (status === 403 || status === 408 || status === 429 || status >= 500)
    throw new TypeError(`The store answered ${status}`);
  throw new Error(`The store refused the bytes: ${status}`);
}

/** The parts of XMLHttpRequest used here, which exists only in browsers. */
type BrowsersRequest = {
  readonly status: number;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
};

const browsersRequest = (globalThis as { XMLHttpRequest?: new () => BrowsersRequest }).XMLHttpRequest;

/** XMLHttpRequest is the only way to get upload progress in browsers. */
const sendByRequest = (
  url: string,
  headers: Record<string, string>,
  body: Blob,
  signal: AbortSignal | undefined,
  onBytes: (sent: number) => void,
): Promise<number> =>
  new Promise((resolve, reject) => {
    if (!browsersRequest) throw new TypeError("Only browsers have one");
    const request = new browsersRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onBytes(loaded);
    request.onload = () => resolve(request.status);
    request.onerror = () => reject(new TypeError("The store cannot be reached"));
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    if (signal?.aborted) request.abort();
    request.send(body);
  });

/** Retries after 1, 2, 4 … seconds while that may help. */
async function retried<T>(
  work: () => Promise<T>,
  { tries = 5, signal }: UploadOptions,
  mayHelp: (error: unknown) => boolean | Promise<boolean>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || count >= tries || !(await mayHelp(error))) throw error;
      await pause(1000 * 2 ** (count - 1), signal);
    }
  }
}

/** Resolves after the pause, when the network is back, or on abort. */
const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const target = globalThis as Partial<EventTarget>;
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      target.removeEventListener?.("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    target.addEventListener?.("online", done);
    signal?.addEventListener("abort", done);
  });
