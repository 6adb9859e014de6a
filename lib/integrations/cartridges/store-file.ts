import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { detectMediaType, mediaTypeDetectionBytes } from "../../files/detect-media-type.ts";
import { maxFileBytes, mediaTypeRejectionReason, uploadLimits } from "../../files/limits.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { newObjectKey } from "../../platform/file-store/keys.ts";
import { truncate } from "../../platform/text/truncate.ts";
import type { Archive } from "./archive.ts";
import { fileNameOfPath } from "./paths.ts";
import { createRefusedPartError, RefusedPartError } from "./refused-part.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now">;

export type StoredArchiveFile = { id: number | null; kind: string };

const Known = z.object({ id: z.int(), media_type: z.string() });
const Begun = z.object({ object: z.int() });
const Ended = z.object({ id: z.int() });

/** Before its bytes are written; no row if the quota is full. */
export const insertStoredObjectQuery = (
  { university, key, size }: { university: number; key: string; size: number },
  most: number,
  moment: string,
): SQL => sql`
  insert into stored_objects (university_id, key, size, created_at, unused_since)
  select ${university}::int, ${key}, ${size}::bigint, ${moment}::timestamptz, ${moment}::timestamptz
  where coalesce((select bytes from file_usage where university_id = ${university}), 0) + ${size}::bigint <= ${most}::bigint
  returning id::float8 as object`;

/**
 * Once per path of an import. A dry run returns no id. Throws RefusedPart for executables, large files, and
 * an exceeded quota.
 */
export async function storeFile(
  parts: Parts,
  at: { importId: number; university: number; isDryRun: boolean },
  archive: Archive,
  path: string,
): Promise<StoredArchiveFile> {
  const { db, config, fileStore, now } = parts;
  const [known] = await rowsOf(
    db,
    Known,
    sql`select files.id::float8 as id, files.media_type from cartridge_files join files on files.id = file_id
        where import_id = ${at.importId} and path = ${path}`,
  );
  if (known) return { id: known.id, kind: known.media_type };
  const most = maxFileBytes(config, "ASSET");
  const size = archive.sizeOf(path);
  const kind = await kindIn(archive, path, most);
  const misfit = mediaTypeRejectionReason("ASSET", kind);
  if (misfit) throw new RefusedPartError(misfit);
  if (at.isDryRun) return { id: null, kind };
  const key = newObjectKey();
  const [begun] = await rowsOf(
    db,
    Begun,
    insertStoredObjectQuery(
      { university: at.university, key, size },
      uploadLimits(config).university_bytes,
      now().toISOString(),
    ),
  );
  if (!begun) throw createRefusedPartError("quota_used_up", { gigabytes: config.FILE_QUOTA_GB });
  const hash = createHash("sha256");
  const hashed = async function* () {
    for await (const chunk of archive.chunks(path, most)) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await fileStore.writeStream(key, hashed(), { size, mediaType: kind });
  } catch (error) {
    await db
      .execute(sql`select schedule_unused_object_deletion(${begun.object}, ${now().toISOString()})`)
      .catch(() => {});
    throw error;
  }
  const sha256 = config.FILE_SCANNER ? null : hash.digest("hex");
  const [ended] = await rowsOf(
    db,
    Ended,
    sql`select store_cartridge_file(${at.importId}, ${path}, ${begun.object}, ${truncate(fileNameOfPath(path), 255)}, ${kind}, ${size}, ${sha256}, ${now().toISOString()})::float8 as id`,
  );
  return { id: ended?.id ?? null, kind };
}

async function kindIn(archive: Archive, path: string, most: number): Promise<string> {
  const first: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of archive.chunks(path, most)) {
    first.push(chunk);
    length += chunk.length;
    if (length >= mediaTypeDetectionBytes) break;
  }
  return detectMediaType(Buffer.concat(first).subarray(0, mediaTypeDetectionBytes), "text/plain");
}
