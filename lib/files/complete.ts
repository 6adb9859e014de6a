import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { StoredFile } from "../../schema/api/files/files.ts";
import type { Deps } from "../deps.ts";
import type { ErrorCode } from "../error-codes.ts";
import { badRequest, HttpError, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { StartedMultipartUpload } from "../platform/file-store/file-store.ts";
import { newObjectKey } from "../platform/file-store/keys.ts";
import {
  decodeStoredReason,
  encodeStoredReason,
  type StoredReason,
} from "../platform/results/stored-reason.ts";
import { hashStream, readFirstBytes } from "./bytes.ts";
import { detectMediaType, mediaTypeDetectionBytes } from "./detect-media-type.ts";
import { mediaTypeRejectionReason } from "./limits.ts";
import { FileRow, fileJsonSql, toStoredFile } from "./stored-file.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now" | "log" | "metrics">;

/** Smaller files are hashed within the request if no scanner is set. */
const hashedAtOnce = 8 * 1024 * 1024;

const Taken = z.object({
  file: FileRow,
  object_id: z.int().nullable(),
  promised_sha256: z.string().nullable(),
});

type Outcome = { kind: string | null; sha256: string | null; refusal: StoredReason | null };

/**
 * Moves the upload to a key that was never writable by a signed URL and inspects it there. Idempotent. 404
 * for another person's file; 400 for missing bytes or parts, or a rejection.
 */
export async function completeUpload(
  parts: Parts,
  actor: Actor,
  id: number,
  sent: readonly number[] | undefined,
): Promise<StoredFile> {
  const { db, fileStore, now } = parts;
  const key = newObjectKey();
  const [taken] = await rowsOf(
    db,
    Taken,
    sql`
      with ${lockUploadAndInsertObjectCtes(
        { id, person: actor.id, key, moment: now().toISOString() },
        tokenReachCondition(actor, sql`files.university_id`, { offering: sql`files.course_offering_id` }),
      )}
      select ${fileJsonSql(sql`taken`)} as file, (select id from object)::float8 as object_id, taken.promised_sha256
      from taken`,
  );
  if (!taken) throw notFound("File");
  if (taken.object_id === null) return answered(taken.file);
  const object = taken.object_id;
  try {
    await joinParts(parts, taken.file, sent);
    const size = await fileStore.take(taken.file.upload_key ?? "", key);
    if (size === undefined) throw badRequest("no_bytes");
    const outcome = await look(parts, taken, key, size);
    return answered(await endUpload(parts, taken, object, outcome));
  } catch (error) {
    await parts.db
      .execute(sql`select schedule_unused_object_deletion(${object}, ${now().toISOString()})`)
      .catch(() => {});
    if (await wasCompleted(parts, id)) return completeUpload(parts, actor, id, sent);
    throw error;
  }
}

/**
 * Locks the file. Stores the target `object` before the bytes move: a crash leaves an unused object. No
 * object: the upload is complete.
 */
export const lockUploadAndInsertObjectCtes = (
  upload: { id: number; person: number; key: string; moment: string },
  reach = sql`true`,
): SQL => sql`
  taken as (
    select * from files where files.id = ${upload.id} and files.uploaded_by_user_id = ${upload.person} and ${reach}
    for no key update of files
  ), object as (
    insert into stored_objects (university_id, key, size, created_at, unused_since)
    select university_id, ${upload.key}, size, ${upload.moment}::timestamptz, ${upload.moment}::timestamptz
    from taken where state = 'pending' returning id
  )`;

async function wasCompleted({ db }: Parts, id: number): Promise<boolean> {
  const { rows } = await db.execute(sql`select from files where id = ${id} and state <> 'pending'`);
  return rows.length > 0;
}

/** Throws the 400 with the reason of a rejection. */
function answered(row: FileRow): StoredFile {
  if (row.state === "REFUSED") throw refusedFile(row.refusal);
  return toStoredFile(row);
}

function refusedFile(stored: string | null): HttpError {
  const { code, reason } = decodeStoredReason(stored);
  return new HttpError(400, code ?? ("file_refused" satisfies ErrorCode), reason ?? "The file was refused");
}

async function joinParts({ fileStore }: Parts, file: FileRow, sent: readonly number[] | undefined) {
  if (file.part_size === null) return;
  const upload: StartedMultipartUpload = {
    key: file.upload_key ?? "",
    multipartId: file.multipart_id ?? "",
    size: file.size,
    partSize: file.part_size,
  };
  const count = Math.ceil(file.size / file.part_size);
  const unsaid = sent ? numbersTo(count).filter((number) => !sent.includes(number)) : [];
  const { missing } = unsaid.length > 0 ? { missing: unsaid } : await fileStore.joinParts(upload);
  if (missing.length > 0) throw badRequest("parts_missing", { parts: missing.slice(0, 20).join(", ") });
}

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function look(
  { config, fileStore }: Parts,
  { file, promised_sha256 }: z.output<typeof Taken>,
  key: string,
  size: number,
): Promise<Outcome> {
  const refused = (refusal: StoredReason, kind: string | null = null) => ({ kind, refusal, sha256: null });
  if (size !== file.size)
    return refused(encodeStoredReason("file_size_differs", { promised: file.size, sent: size }));
  const kind = await detectMediaType(
    (await readFirstBytes(fileStore, key, mediaTypeDetectionBytes)) ?? Buffer.alloc(0),
    file.media_type,
  );
  const misfit = mediaTypeRejectionReason(file.purpose, kind);
  if (misfit) return refused(misfit, kind);
  if (size > hashedAtOnce || config.FILE_SCANNER) return { kind, refusal: null, sha256: null };
  const stream = await fileStore.read(key);
  if (!stream) return refused(encodeStoredReason("no_bytes"));
  const sha256 = await hashStream(stream);
  if (promised_sha256 && promised_sha256 !== sha256)
    return refused(encodeStoredReason("file_hash_differs"), kind);
  return { kind, refusal: null, sha256 };
}

async function endUpload(
  { db, fileStore, now, metrics }: Parts,
  { file: { id, upload_key: uploadKey, purpose, size } }: z.output<typeof Taken>,
  object: number,
  { kind, sha256, refusal }: Outcome,
): Promise<FileRow> {
  const ended: SQL = sql`complete_or_refuse_upload(${id}, ${object}, ${kind}, ${sha256}, ${refusal}, ${now().toISOString()})`;
  const [row] = await rowsOf(
    db,
    z.object({ file: FileRow.nullable() }),
    sql`select ${fileJsonSql(sql`done.file`)} as file from (select ${ended} as file offset 0) as done`,
  );
  // Removed immediately: a client that kept the URL could still write there.
  if (uploadKey) await fileStore.remove([uploadKey]).catch(() => {});
  // The uploader's account was erased while the request ran.
  if (!row?.file) throw notFound("File");
  if (row.file.state === "READY" || row.file.state === "REFUSED")
    metrics.uploadEnded({
      purpose: purpose.toLowerCase(),
      outcome: refusal ? "refused" : "ready",
      bytes: size,
    });
  return row.file;
}
