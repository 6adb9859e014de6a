import { badRequest, HttpError } from "../../errors.ts";
import { type FileStore, fileStoreUnreachableError } from "../../platform/file-store/file-store.ts";
import {
  type ArchiveDirectory,
  type RandomAccess,
  readArchiveDirectory,
} from "../../platform/readers/archive-directory.ts";
import { entryBytes, unpackEntry } from "../../platform/readers/archive-entry.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { UnreadableArchive } from "../../platform/readers/zip.ts";
import { encodeStoredReason } from "../../platform/results/stored-reason.ts";
import { createRefusedPartError, RefusedPartError } from "./refused-part.ts";

/** Only the parts that are read are fetched from the file store. */
export type Archive = Pick<ArchiveDirectory, "refused"> & {
  names: string[];
  sizeOf(path: string): number;
  /** For a small file. Throws RefusedPart if it cannot be read. */
  bytes(path: string, most: number): Promise<Buffer>;
  /** Holds one chunk at a time. */
  chunks(path: string, most: number): AsyncGenerator<Uint8Array>;
};

/** Stored files also count against the university's quota. */
const bounds = { maxEntries: 20_000, maxBytes: 50_000_000_000 };

/** `gone` is the error for an object that no longer exists. */
export const fileStoreRandomAccess = (
  store: Pick<FileStore, "read">,
  key: string,
  size: number,
  gone: () => HttpError = () => badRequest("cartridge_file_gone"),
): RandomAccess => ({
  size,
  async *read(start, end) {
    if (end <= start) return;
    const stream = await store.read(key, { start, end });
    if (!stream) throw gone();
    try {
      yield* stream;
    } catch (error) {
      throw error instanceof HttpError ? error : fileStoreUnreachableError(error);
    } finally {
      stream.destroy();
    }
  },
});

/** Opens a ZIP by its directory; 400 if it is no archive or too large. */
export async function openArchive(source: RandomAccess): Promise<Archive> {
  const { entries, refused } = await readArchiveDirectory(source, bounds).catch((error) => {
    if (error instanceof UnreadableArchive) throw badRequest("cartridge_not_archive");
    throw error instanceof BeyondBounds ? badRequest("cartridge_too_large", { fault: error.message }) : error;
  });
  const entryOf = (path: string) => {
    const entry = entries.get(path);
    const fault = refused.find(({ name }) => name === path)?.fault;
    if (fault) throw new RefusedPartError(encodeStoredReason(fault));
    if (!entry) throw createRefusedPartError("cartridge_file_missing", { path });
    return entry;
  };
  return {
    refused,
    names: [...entries.keys()],
    sizeOf: (path) => entryOf(path).size,
    bytes: (path, most) => translated(() => entryBytes(source, entryOf(path), most)),
    async *chunks(path, most) {
      try {
        yield* unpackEntry(source, entryOf(path), most);
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof UnreadableArchive) return createRefusedPartError("cartridge_file_damaged");
  if (error instanceof BeyondBounds)
    return createRefusedPartError("cartridge_file_beyond_bounds", { fault: error.message });
  return error;
}
