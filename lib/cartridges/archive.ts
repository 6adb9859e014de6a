import { wordsOf } from "../error-codes.ts";
import { badRequest, HttpError } from "../errors.ts";
import { type FileStore, storeAway } from "../file-store/file-store.ts";
import { type ArchiveDirectory, type RandomAccess, readDirectory } from "../readers/archive-directory.ts";
import { entryBytes, unpackEntry } from "../readers/archive-entry.ts";
import { BeyondBounds } from "../readers/beyond-bounds.ts";
import { UnreadableArchive } from "../readers/zip.ts";
import { RefusedPart } from "./refused-part.ts";

/** A cartridge in the store, of which only what is read is fetched. */
export type Archive = Pick<ArchiveDirectory, "refused"> & {
  names: string[];
  sizeOf(path: string): number;
  /** The bytes of a file of which few are there. Throws RefusedPart for what cannot be read. */
  bytes(path: string, most: number): Promise<Buffer>;
  /** The same in chunks; none but one is held. */
  chunks(path: string, most: number): AsyncGenerator<Uint8Array>;
};

/** Of entries, and of bytes when unpacked: what is taken of it counts against the university's quota besides. */
const bounds = { mostEntries: 20_000, mostBytes: 50_000_000_000 };

/** An object of the store; 400 where it is gone. */
export const objectAccess = (store: Pick<FileStore, "read">, key: string, size: number): RandomAccess => ({
  size,
  async *read(start, end) {
    if (end <= start) return;
    const stream = await store.read(key, { start, end });
    if (!stream) throw badRequest("cartridge_file_gone");
    try {
      yield* stream;
    } catch (error) {
      throw error instanceof HttpError ? error : storeAway(error);
    } finally {
      stream.destroy();
    }
  },
});

/** Opens a cartridge by its directory; 400 for what is no archive, or a larger one than is read. */
export async function openArchive(source: RandomAccess): Promise<Archive> {
  const { entries, refused } = await readDirectory(source, bounds).catch((error) => {
    if (error instanceof UnreadableArchive) throw badRequest("cartridge_not_archive");
    throw error instanceof BeyondBounds ? badRequest("cartridge_too_large", { fault: error.message }) : error;
  });
  const entryOf = (path: string) => {
    const entry = entries.get(path);
    if (!entry)
      throw new RefusedPart(
        wordsOf(refused.find(({ name }) => name === path)?.fault ?? "cartridge_file_missing", { path }),
      );
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
  if (error instanceof UnreadableArchive) return new RefusedPart(wordsOf("cartridge_file_damaged"));
  if (error instanceof BeyondBounds)
    return new RefusedPart(wordsOf("cartridge_file_beyond_bounds", { fault: error.message }));
  return error;
}
