import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDeps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import { memoizeLru } from "../../platform/caching/lru.ts";
import { memoize } from "../../platform/caching/memoize.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ArchiveEntry, RandomAccess } from "../../platform/readers/archive-directory.ts";
import { entryDataOffset, unpackEntry } from "../../platform/readers/archive-entry.ts";
import { fileStoreRandomAccess } from "../cartridges/archive.ts";
import { fileIdOfPackageToken } from "./package-address.ts";

type Parts = Pick<ReadDeps, "db" | "fileStore" | "config" | "now">;

const Row = z.object({
  key: z.string(),
  size: z.number(),
  entries: z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()])),
});

type Opened = { key: string; size: number; entries: Map<string, ArchiveEntry> };

/** A package's directory never changes. Each takes up to a MB. */
const packagesOf = memoize((_: ReadDb) =>
  memoizeLru(20, (_fileId: number): { opened: Promise<Opened | undefined> | undefined } => ({
    opened: undefined,
  })),
);

async function openPackage(db: ReadDb, fileId: number): Promise<Opened | undefined> {
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      select stored_objects.key, files.size::float8 as size, scorm_packages.entries
      from scorm_packages
      join files on files.id = scorm_packages.file_id and files.state = 'ready' and files.erased_at is null
      join stored_objects on stored_objects.id = files.object_id
      where scorm_packages.file_id = ${fileId}`,
  );
  if (!row) return undefined;
  const entries = row.entries.map(
    ([name, method, packedSize, size, crc32, offset]): [string, ArchiveEntry] => [
      name,
      { name, method, packedSize, size, crc32, offset },
    ],
  );
  return { key: row.key, size: row.size, entries: new Map(entries) };
}

/** The file of the package that a token opens on this host; 404 for anything else. */
export function fileIdOfValidPackageToken(
  { config, now }: Pick<Parts, "config" | "now">,
  token: string,
  url: string,
) {
  const fileId = fileIdOfPackageToken(config, token, url, now());
  if (fileId === undefined) throw notFound("SCORM package");
  return fileId;
}

export type PackageFile = {
  size: number;
  /** `end` is exclusive. */
  chunks(start: number, end: number): AsyncGenerator<Uint8Array>;
};

/** Throws 404 if the package has no such file. */
export async function findPackageFile(parts: Parts, fileId: number, path: string): Promise<PackageFile> {
  const { db, fileStore } = parts;
  const kept = packagesOf(db)(fileId);
  kept.opened ??= openPackage(db, fileId).catch((error) => {
    kept.opened = undefined;
    throw error;
  });
  const opened = await kept.opened;
  // A scanner may still check the file.
  if (!opened) kept.opened = undefined;
  const entry = opened?.entries.get(path) ?? opened?.entries.get(path.normalize("NFC"));
  if (!opened || !entry) throw notFound("File");
  const source = fileStoreRandomAccess(fileStore, opened.key, opened.size, () => notFound("File"));
  return {
    size: entry.size,
    chunks: (start, end) =>
      entry.method === 0 && end - start < entry.size
        ? readStored(source, entry, start, end)
        : slice(unpackEntry(source, entry, entry.size), start, end),
  };
}

/** A range of an entry that is not compressed, as films usually are. */
async function* readStored(
  source: RandomAccess,
  entry: ArchiveEntry,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const first = await entryDataOffset(source, entry);
  yield* source.read(first + start, first + end);
}

async function* slice(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at > end) return;
  }
}
