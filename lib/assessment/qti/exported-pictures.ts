import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDeps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { UnzippedFile } from "../../platform/readers/zip.ts";
import { pictureIdsIn } from "../picture-ids.ts";

/** Of all pictures of a page, which is sent as base64 in one response. */
const maxExportedPictureBytesPerPage = 4_000_000;

export type PicturesForExport = { pathOf: (fileId: number) => string; files: UnzippedFile[] };

/**
 * The pictures that questions of the pool show, with their paths in the package. A picture without bytes has a path
 * and no file, so an import reports it. Returns 400 if they are too large together.
 */
export async function readPicturesForExport(
  { db, fileStore }: Pick<ReadDeps, "db" | "fileStore">,
  poolId: number,
  questions: unknown,
): Promise<PicturesForExport> {
  const ids = pictureIdsIn(questions);
  const rows = ids.length === 0 ? [] : await rowsOf(db, PictureRow, storedPictures(poolId, ids));
  if (rows.reduce((sum, { size }) => sum + size, 0) > maxExportedPictureBytesPerPage)
    throw badRequest("export_pictures_too_large", { megabytes: maxExportedPictureBytesPerPage / 1_000_000 });
  const paths = new Map(ids.map((id, at) => [id, `media/${at + 1}-missing`]));
  const files: UnzippedFile[] = [];
  for (const { id, key, name } of rows) {
    const stream = await fileStore.read(key);
    if (!stream) continue;
    const path = `media/${ids.indexOf(id) + 1}-${name.replaceAll(/[^\w.-]/g, "_")}`;
    paths.set(id, path);
    files.push({ name: path, bytes: Buffer.concat(await stream.toArray()) });
  }
  return { pathOf: (id) => paths.get(id) ?? "media/missing", files };
}

const PictureRow = z.object({ id: z.int(), key: z.string(), name: z.string(), size: z.int() });

const storedPictures = (poolId: number, ids: readonly number[]) => sql`
  select files.id::float8 as id, stored_objects.key, files.name, files.size::float8 as size
  from files join stored_objects on stored_objects.id = files.object_id
  where files.id = any(${sql.param(ids)}::bigint[]) and files.state = 'ready' and files.erased_at is null
    and exists (
      select from file_uses join questions on questions.id = file_uses.question_id
      where file_uses.file_id = files.id and questions.question_pool_id = ${poolId})
  order by files.id`;
