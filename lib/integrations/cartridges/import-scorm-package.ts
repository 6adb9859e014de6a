import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { HttpError, nonexistentFileBadRequest } from "../../errors.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { RandomAccess } from "../../platform/readers/archive-directory.ts";
import { type Archive, fileStoreRandomAccess } from "./archive.ts";
import { checkScormPackage, storeScormPackage } from "./scorm-package.ts";
import type { StoredArchiveFile } from "./store-file.ts";

type Parts = Pick<Deps, "db" | "fileStore" | "now">;

/** A dry run unpacks the file into memory. */
const mostDryBytes = 64_000_000;

const inMemory = (bytes: Buffer): RandomAccess => ({
  size: bytes.length,
  async *read(start, end) {
    yield bytes.subarray(start, end);
  },
});

const Stored = z.object({ key: z.string(), size: z.number() });

/**
 * Checks a file of a cartridge as a SCORM package, and keeps it unless it is a dry run. Returns the fault of a
 * package that cannot be used, or null. Undefined if the file is no package.
 */
export async function importScormPackage(
  { db, fileStore, now }: Parts,
  archive: Pick<Archive, "bytes">,
  path: string,
  { id }: StoredArchiveFile,
): Promise<string | null | undefined> {
  try {
    if (id === null) {
      await checkScormPackage(inMemory(await archive.bytes(path, mostDryBytes)), 0);
      return null;
    }
    const [stored] = await rowsOf(
      db,
      Stored,
      sql`select stored_objects.key, files.size::float8 as size
          from files join stored_objects on stored_objects.id = files.object_id where files.id = ${id}`,
    );
    if (!stored) throw nonexistentFileBadRequest(id);
    const source = fileStoreRandomAccess(fileStore, stored.key, stored.size, () =>
      nonexistentFileBadRequest(id),
    );
    await storeScormPackage(db, id, await checkScormPackage(source, 0), now().toISOString());
    return null;
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 400) throw error;
    return ofOtherArchives.has(error.code) ? undefined : error.message;
  }
}

const ofOtherArchives = new Set(["scorm_not_archive", "scorm_manifest_missing", "scorm_version_unknown"]);
