import type { Readable } from "node:stream";
import { unavailable } from "../errors.ts";

/** A request that whoever was given it makes to the store itself; `headers` are part of what was signed. */
export type SignedRequest = {
  method: "PUT";
  url: string;
  headers: Record<string, string>;
  /** By the service's clock, in ISO 8601. */
  expires_at: string;
};

/** What is announced of an upload, and held to by the store: its exact length in bytes, and its type. */
export type Announced = { size: number; mediaType: string };

/** How long an address holds, and where people reach the service: the folder's addresses are the service's own. */
export type Addressing = { expiresInSeconds: number; publicUrl: string };

/** An upload in parts: the store's own name for it, and how many bytes each part has but the last. */
export type PartedUpload = { key: string; multipartId: string; size: number; partSize: number };

/** A part, from 1: how many bytes it has, and whether the store holds all of them. */
export type Part = { number: number; size: number; is_there: boolean };

/** The same with how to send it; null for one that is there. */
export type SignedPart = Part & { upload: SignedRequest | null };

export type DownloadOptions = Addressing & {
  /** As people gave it; of any script. */
  name: string;
  mediaType: string;
  /** Whether a browser may show it; only of a kind that is safe to show. */
  inline: boolean;
  /** SHA-256 of the bytes in hexadecimal, the ETag where the store lets it be said; null while nobody has hashed them. */
  sha256: string | null;
};

/** Bytes from `start` up to and without `end`. */
export type ByteRange = { start: number; end: number };

export type StoredObject = { key: string; size: number; modified_at: Date };

/**
 * Where the bytes of files are: a folder, or a bucket that speaks S3. What people send goes to a key of `uploadKey()`, and
 * by `take` to one of `objectKey()`, for which no address to write is ever signed. A store that is away, slow or full
 * is a 503 with Retry-After within `timeoutSeconds`; every verb may throw it.
 */
export type FileStore = {
  /** For operators, without secrets: `folder:/srv/files`. */
  name: string;
  signUpload(key: string, announced: Announced, addressing: Addressing): Promise<SignedRequest>;
  beginParts(key: string, announced: Announced): Promise<PartedUpload>;
  /** All its parts, with an address for each that is not there; undefined where the upload has ended or was removed. */
  signParts(upload: PartedUpload, addressing: Addressing): Promise<SignedPart[] | undefined>;
  /** Makes one object of the parts; once more is the same. Answers what is missing, as numbers of parts: none when done. */
  joinParts(upload: PartedUpload): Promise<{ missing: number[] }>;
  /** Removes the parts; nothing where there are none. */
  dropParts(upload: PartedUpload): Promise<void>;
  /** How many bytes are there; undefined where nothing is. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Takes what was sent to a key of a try of one's own, which must not have been used: two that complete one upload take
   * two keys, and the database says whose counts. What was looked at before is not what was taken: look at `to`.
   * Answers its size; undefined where nothing was sent.
   */
  take(from: string, to: string): Promise<number | undefined>;
  /** Keeps bytes of the service's own, as a whole or not at all; what stood there is written over. */
  write(key: string, bytes: Uint8Array, mediaType: string): Promise<void>;
  /**
   * The same of bytes that come as a stream, of exactly that size; no more than a part of them is held. What breaks off
   * leaves nothing at the key.
   */
  writeStream(key: string, chunks: AsyncIterable<Uint8Array>, announced: Announced): Promise<void>;
  /** The bytes, or a range of them; undefined where nothing is. Whoever reads must end it or destroy it. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** An address to read from, with ranges. */
  signDownload(key: string, options: DownloadOptions): Promise<string>;
  /** Removes them; what is not there is no fault. */
  remove(keys: readonly string[]): Promise<void>;
  /** All that is kept below a prefix, in pages that are asked for as they are read. */
  list(prefix: KeyPrefix): AsyncIterable<StoredObject>;
  /** Removes what was sent before that moment and never taken, and parts of uploads begun before it. Answers how many. */
  sweepUploads(before: Date): Promise<number>;
};

export type KeyPrefix = "uploads/" | "objects/";

/** From that size on a file is sent in parts. */
export const sentInPartsFrom = 100 * 1024 * 1024;

/** How long a store is waited for at most, before it is taken for one that is away. */
export const timeoutSeconds = 10;

const mebibyte = 1024 * 1024;

/** How many bytes a part has: 16 MB, and more where the file would have over a thousand parts. */
export const partSizeOf = (size: number): number =>
  Math.max(16 * mebibyte, Math.ceil(size / 1000 / mebibyte) * mebibyte);

/** The parts of an upload, all of one size but the last. */
export const partsOf = ({ size, partSize }: Pick<PartedUpload, "size" | "partSize">) =>
  Array.from({ length: Math.max(1, Math.ceil(size / partSize)) }, (_, index) => ({
    number: index + 1,
    size: Math.min(partSize, size - index * partSize),
  }));

export const storeAway = (cause?: unknown) => unavailable("file_store_unreachable", cause, 10);

export const storeFull = (cause?: unknown) => unavailable("file_store_full", cause, 60);

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

/** The store of an installation that has named none. */
export const noFileStore: FileStore = refuse("no_file_store");

/** The store of a function that carries none: whoever asks it has a fault in their wiring. */
export const refusingFileStore: FileStore = refuse("file_store_not_here");
