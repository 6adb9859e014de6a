import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { uploadLimits } from "../../files/limits.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { newObjectKey } from "../../platform/file-store/keys.ts";
import type { PackagedPicture } from "./read-pictures.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now">;

/** A picture whose bytes are in the store. */
export type WrittenPicture = PackagedPicture & { object: number };

/** File ids by path, by hash, of pictures that questions of the pool show already. */
export async function findPictureFileIdsInPool(
  db: ReadDb,
  poolId: number,
  pictures: readonly PackagedPicture[],
): Promise<Map<string, number>> {
  if (pictures.length === 0) return new Map();
  const rows = await rowsOf(
    db,
    z.object({ id: z.int(), sha256: z.string() }),
    sql`
      select min(files.id)::float8 as id, stored_objects.sha256
      from questions
      join file_uses on file_uses.question_id = questions.id
      join files on files.id = file_uses.file_id and files.state = 'ready' and files.erased_at is null
      join stored_objects on stored_objects.id = files.object_id
      where questions.question_pool_id = ${poolId}
        and stored_objects.sha256 = any(${sql.param(pictures.map(({ sha256 }) => sha256))}::text[])
      group by stored_objects.sha256`,
  );
  return byPath(pictures, new Map(rows.map(({ id, sha256 }) => [sha256, id])));
}

const byPath = (pictures: readonly PackagedPicture[], ids: ReadonlyMap<string, number>) =>
  new Map(pictures.flatMap(({ path, sha256 }) => (ids.has(sha256) ? [[path, ids.get(sha256) ?? 0]] : [])));

/** Writes each content once, before a row of `files` names it. Returns 400 if the university's quota is used up. */
export async function writePictures(
  { db, config, fileStore, now }: Parts,
  poolId: number,
  pictures: readonly PackagedPicture[],
): Promise<WrittenPicture[]> {
  const distinct = [...new Map(pictures.map((one) => [one.sha256, one])).values()].map((picture) => ({
    ...picture,
    key: newObjectKey(),
  }));
  const given = distinct.map(({ key, bytes }) => ({ key, size: bytes.length }));
  const rows = await rowsOf(
    db,
    z.object({ object: z.int(), key: z.string() }),
    sql`
      with given as (select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as one (key text, size bigint))
      insert into stored_objects (university_id, key, size, created_at, unused_since)
      select university_id, given.key, given.size, ${now().toISOString()}::timestamptz, ${now().toISOString()}::timestamptz
      from question_pools, given
      where question_pools.id = ${poolId}
        and coalesce((select bytes from file_usage where file_usage.university_id = question_pools.university_id), 0)
          + (select sum(size) from given) <= ${uploadLimits(config).university_bytes}::bigint
      returning id::float8 as object, key`,
  );
  if (rows.length === 0) throw badRequest("quota_used_up", { gigabytes: config.FILE_QUOTA_GB });
  const objects = new Map(rows.map(({ object, key }) => [key, object]));
  const written = distinct.map(({ key, ...picture }) => ({ ...picture, object: objects.get(key) ?? 0 }));
  try {
    for (const { key, bytes, media_type } of distinct) await fileStore.write(key, bytes, media_type);
  } catch (error) {
    await discardPictures({ db, now }, written);
    throw error;
  }
  return written;
}

/**
 * File ids by path: those that the pool shows already, and the caller's new ones. In the transaction that adds the
 * questions: locks the pool, so concurrent imports of one picture share its file.
 */
export async function insertPictureFiles(
  db: Db,
  { config, now }: Pick<Parts, "config" | "now">,
  actor: Actor,
  poolId: number,
  { written, pictures }: { written: readonly WrittenPicture[]; pictures: readonly PackagedPicture[] },
): Promise<Map<string, number>> {
  await db.execute(sql`select from question_pools where id = ${poolId} for no key update`);
  const known = await findPictureFileIdsInPool(db, poolId, pictures);
  // In one order, because imports into other pools lock the same contents.
  const given = written
    .filter(({ path }) => !known.has(path))
    .map(({ object, name, media_type, bytes, sha256 }) => ({
      object,
      name,
      media_type,
      size: bytes.length,
      sha256,
    }))
    .toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
  const moment = sql`${now().toISOString()}::timestamptz`;
  const isChecked = config.FILE_SCANNER !== undefined;
  const rows = await rowsOf(
    db,
    z.object({ id: z.int(), sha256: z.string() }),
    sql`
      with given as materialized (
        select one.*, ${isChecked ? sql`object` : sql`find_same_object_or_store_hash(object, sha256, ${moment})`} as kept
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as one (
          object bigint, name text, media_type text, size bigint, sha256 text)
      ), added as (
        insert into files (
          object_id, purpose, state, name, media_type, size, sha256, university_id, course_id, uploaded_by_user_id,
          created_at, completed_at, loose_since)
        select given.kept, 'asset', ${isChecked ? "checking" : "ready"}, given.name, given.media_type, given.size,
          ${isChecked ? sql`null` : sql`given.sha256`}, university_id, course_id, ${actor.id}::int,
          ${moment}, ${moment}, ${moment}
        from question_pools, given where question_pools.id = ${poolId}
        returning id, object_id
      )
      select added.id::float8 as id, given.sha256 from added join given on given.kept = added.object_id`,
  );
  const added = byPath(pictures, new Map(rows.map(({ id, sha256 }) => [sha256, id])));
  return new Map([...known, ...added]);
}

/** Deletes the bytes that no file took. */
export const discardPictures = (
  { db, now }: Pick<Parts, "db" | "now">,
  written: readonly WrittenPicture[],
): Promise<unknown> =>
  db.execute(sql`
    select schedule_unused_object_deletion(object, ${now().toISOString()}::timestamptz)
    from unnest(${sql.param(written.map(({ object }) => object))}::bigint[]) as object`);
