import { sql } from "drizzle-orm";
import * as z from "zod";
import type { StoredEntry } from "../../../schema/db/integrations/scorm.ts";
import { formatErrorMessage } from "../../error-codes.ts";
import { badRequest } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import {
  type ArchiveDirectory,
  type ArchiveEntry,
  type RandomAccess,
  readArchiveDirectory,
} from "../../platform/readers/archive-directory.ts";
import { entryBytes } from "../../platform/readers/archive-entry.ts";
import { BeyondBounds } from "../../platform/readers/beyond-bounds.ts";
import { fileReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import { UnreadableArchive } from "../../platform/readers/zip.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { ScormManifest, ScormManifestInput } from "./scorm-manifest.ts";

const bounds = { maxEntries: 10_000, maxBytes: 4_000_000_000 };

const maxManifestBytes = 4_000_000;

/** As in lib/platform/readers/archive-entry.ts, here for the stated sizes. */
const maxCompressionRatio = 200;

const manifestReader = new URL("./scorm-manifest-reader.ts", import.meta.url);

export type CheckedScormPackage = { manifest: ScormManifest; entries: StoredEntry[] };

/** Reads the directory and the manifest; 400 names the fault and the file. */
export async function checkScormPackage(
  source: RandomAccess,
  person: number | string,
): Promise<CheckedScormPackage> {
  const entries = await readableEntries(source);
  const manifest = await readManifest(source, entries, person);
  return {
    manifest,
    entries: [...entries.values()].map((one) => [
      ...([one.name, one.method, one.packedSize, one.size, one.crc32, one.offset] as const),
    ]),
  };
}

const Stored = z.object({ is_new: z.boolean() });

/** Whether the package is new. Undefined if the file is gone. */
export async function storeScormPackage(
  db: Db,
  fileId: number,
  { manifest: { version, title, scos, activity_tree }, entries }: CheckedScormPackage,
  moment: string,
): Promise<boolean | undefined> {
  const tree = activity_tree && JSON.stringify(activity_tree);
  const [stored] = await rowsOf(
    db,
    Stored,
    sql`
      insert into scorm_packages (file_id, version, title, scos, activity_tree, entries, checked_at)
      select id, ${version}::text, ${title}::text, ${JSON.stringify(scos)}::jsonb, ${tree}::jsonb,
             ${JSON.stringify(entries)}::jsonb, ${moment}::timestamptz
      from files where id = ${fileId} and erased_at is null
      on conflict (file_id) do update set version = excluded.version, title = excluded.title, scos = excluded.scos,
        activity_tree = excluded.activity_tree, entries = excluded.entries, checked_at = excluded.checked_at
      returning xmax = 0 as is_new`,
  );
  return stored?.is_new;
}

/** All files of the package. 400 if one of them cannot be served. */
async function readableEntries(source: RandomAccess): Promise<ArchiveDirectory["entries"]> {
  const { entries, refused } = await readArchiveDirectory(source, bounds).catch((error) => {
    throw refusalOf(error);
  });
  const [bad] = refused;
  if (bad) throw refusedFile(bad.name, formatErrorMessage(bad.fault));
  for (const { name, size, packedSize } of entries.values())
    if (size > 1_048_576 && size > maxCompressionRatio * packedSize)
      throw refusedFile(
        name,
        new BeyondBounds(maxCompressionRatio, "times the bytes that it was packed into").message,
      );
  return entries;
}

async function readManifest(
  source: RandomAccess,
  entries: ReadonlyMap<string, ArchiveEntry>,
  person: number | string,
): Promise<ScormManifest> {
  const entry = entries.get("imsmanifest.xml");
  if (!entry) throw badRequest("scorm_manifest_missing");
  const manifest = await entryBytes(source, entry, maxManifestBytes).catch((error) => {
    if (error instanceof UnreadableArchive || error instanceof BeyondBounds)
      throw refusedFile(entry.name, error.message);
    throw error;
  });
  const input: ScormManifestInput = { manifest, names: [...entries.keys()] };
  return fileReaderThreadPool.read<ScormManifest>(manifestReader, input, person);
}

function refusalOf(error: unknown): unknown {
  if (error instanceof UnreadableArchive) return badRequest("scorm_not_archive", { fault: error.message });
  return error instanceof BeyondBounds ? badRequest("scorm_too_large", { fault: error.message }) : error;
}

const refusedFile = (path: string, fault: string) =>
  badRequest("scorm_file_refused", { path: truncate(path, 200), fault });
