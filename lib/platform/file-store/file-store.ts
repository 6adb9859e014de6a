import type { Readable } from "node:stream";
import { unavailable } from "../../errors.ts";

/** `headers` are part of the signature. */
export type SignedRequest = {
  method: "PUT";
  url: string;
  headers: Record<string, string>;
  /** By the service's clock, in ISO 8601. */
  expires_at: string;
};

/** The store enforces both. `size` is in bytes. */
export type DeclaredUpload = { size: number; mediaType: string };

/** `publicUrl` is the service's; the folder store's URLs use it. */
export type SignedUrlOptions = { expiresInSeconds: number; publicUrl: string };

/** The store's id, and the size of each part except the last. */
export type StartedMultipartUpload = { key: string; multipartId: string; size: number; partSize: number };

/** Numbered from 1. `is_there`: the store has it completely. */
export type UploadPart = { number: number; size: number; is_there: boolean };

/** `upload` is null if the store has the part. */
export type SignedPart = UploadPart & { upload: SignedRequest | null };

export type DownloadOptions = SignedUrlOptions & {
  name: string;
  mediaType: string;
  /** Display in the browser instead of downloading; only for safe types. */
  inline: boolean;
  /** In hexadecimal, sent as ETag if the store allows; null until hashed. */
  sha256: string | null;
};

/** `end` is exclusive. */
export type ByteRange = { start: number; end: number };

export type StoredObject = { key: string; size: number; modified_at: Date };

/**
 * A folder or an S3 bucket. Clients upload to an `newUploadKey()`; `take` moves the upload to an `newObjectKey()`,
 * which no signed URL can write. If the store is down, slow or full, methods throw 503 with Retry-After
 * within `fileStoreTimeoutSeconds`.
 */
export type FileStore = {
  /** For operators, without secrets: `folder:/srv/files`. */
  name: string;
  signUpload(key: string, announced: DeclaredUpload, addressing: SignedUrlOptions): Promise<SignedRequest>;
  beginParts(key: string, announced: DeclaredUpload): Promise<StartedMultipartUpload>;
  /** All parts, missing ones with a signed request; undefined if the upload ended or was removed. */
  signParts(upload: StartedMultipartUpload, addressing: SignedUrlOptions): Promise<SignedPart[] | undefined>;
  /** Idempotent. Returns the numbers of missing parts, none when done. */
  joinParts(upload: StartedMultipartUpload): Promise<{ missing: number[] }>;
  dropParts(upload: StartedMultipartUpload): Promise<void>;
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Copies an upload to `to`, a new key per attempt: the database decides which of concurrent completions
   * counts. Inspect `to`: the upload may have changed. Returns its size; undefined if nothing was uploaded.
   */
  take(from: string, to: string): Promise<number | undefined>;
  /** Atomic; replaces an existing object. */
  write(key: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /**
   * Writes exactly the announced size, with at most one part in memory. A broken stream leaves nothing at the
   * key.
   */
  writeStream(key: string, chunks: AsyncIterable<Uint8Array>, announced: DeclaredUpload): Promise<void>;
  /** Undefined if the object does not exist. The caller must end or destroy the stream. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** A signed URL, which allows ranges. */
  signDownload(key: string, options: DownloadOptions): Promise<string>;
  /** Missing objects are no error. */
  remove(keys: readonly string[]): Promise<void>;
  list(prefix: KeyPrefix): AsyncIterable<StoredObject>;
  /** Removes uploads never taken and multipart uploads, begun before then. Returns their number. */
  sweepUploads(before: Date): Promise<number>;
};

export type KeyPrefix = "uploads/" | "objects/";

export const multipartThresholdBytes = 100 * 1024 * 1024;

/** The store counts as unavailable after this time. */
export const fileStoreTimeoutSeconds = 10;

const mebibyte = 1024 * 1024;

/** A part has 16 MB, or more if the file would exceed a thousand parts. */
export const choosePartSize = (size: number): number =>
  Math.max(16 * mebibyte, Math.ceil(size / 1000 / mebibyte) * mebibyte);

export const listUploadPartSizes = ({ size, partSize }: Pick<StartedMultipartUpload, "size" | "partSize">) =>
  Array.from({ length: Math.max(1, Math.ceil(size / partSize)) }, (_, index) => ({
    number: index + 1,
    size: Math.min(partSize, size - index * partSize),
  }));

export const fileStoreUnreachableError = (cause?: unknown) =>
  unavailable("file_store_unreachable", cause, 10);

export const fileStoreFullError = (cause?: unknown) => unavailable("file_store_full", cause, 60);

const refuse = (code: "no_file_store" | "file_store_not_here"): FileStore => {
  const refused = async (): Promise<never> => {
    throw unavailable(code, undefined, 300);
  };
  return {
    name: "none",
    ...{ signUpload: refused, beginParts: refused, signParts: refused, joinParts: refused },
    ...{ dropParts: refused, sizeOf: refused, take: refused, read: refused, signDownload: refused },
    ...{ write: refused, writeStream: refused, remove: refused, sweepUploads: refused },
    // biome-ignore lint/correctness/useYield: nothing is ever listed.
    async *list() {
      await refused();
    },
  };
};

export const unconfiguredFileStore: FileStore = refuse("no_file_store");

/** For functions without a store: a call is a wiring error. */
export const refusingFileStore: FileStore = refuse("file_store_not_here");
