import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  FileAddress,
  FileAddresses,
  FileAddressesAsk,
  StoredFile,
} from "../../schema/api/files/files.ts";
import {
  AnonymousFileLabel,
  anonymousFileLabelJsonSql,
  anonymousFileName,
  truncateToUtcDay,
} from "../courses/anonymous-file-name.ts";
import type { Deps, ReadDeps } from "../deps.ts";
import { badRequest, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { readableFileCondition } from "./readable.ts";
import { FileRow, fileColumnsSql, toStoredFile } from "./stored-file.ts";
import { createUploadUrls } from "./upload-addresses.ts";

type Parts = Pick<ReadDeps, "db" | "fileStore" | "now">;

/** 404 unless the caller may read the file. While PENDING, its uploader gets fresh upload URLs. */
export async function getFile(
  { db, fileStore, now }: Parts,
  actor: Actor,
  id: number,
  publicUrl: string,
): Promise<StoredFile> {
  const [row] = await rowsOf(
    db,
    FileRow.extend({ anonymous: AnonymousFileLabel }),
    sql`select ${fileColumnsSql()}, ${anonymousFileLabelJsonSql(actor)} as anonymous from files
      where files.id = ${id} and ${readableFileCondition(actor, now())}`,
  );
  if (!row) throw notFound("File");
  const { anonymous, ...file } = row;
  if (anonymous)
    return toStoredFile({
      ...file,
      name: anonymousFileName(file.name, anonymous),
      uploaded_by_user_id: null,
      created_at: truncateToUtcDay(file.created_at),
      completed_at: file.completed_at && truncateToUtcDay(file.completed_at),
    });
  return toStoredFile(
    file,
    row.state === "PENDING" ? await createUploadUrls(fileStore, row, publicUrl) : null,
  );
}

const Readable = z.object({
  id: z.int(),
  key: z.string(),
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  sha256: z.string().nullable(),
});

type Readable = z.output<typeof Readable>;

const minute = 60;

/** Audio and video are read in ranges while they play. */
const secondsFor = (mediaType: string): number =>
  /^(audio|video)\//.test(mediaType) ? 360 * minute : 5 * minute;

/** Browsers display these inline without running scripts. */
const isSafeInline = (mediaType: string): boolean =>
  /^(image\/(?!svg)|audio\/|video\/)|^(application\/pdf|text\/plain)(;|$)/.test(mediaType);

type Wanted = { inline: boolean; publicUrl: string };

async function addressOf({ fileStore, now }: Parts, file: Readable, { inline, publicUrl }: Wanted) {
  const { key, name, media_type: mediaType, sha256 } = file;
  const expiresInSeconds = secondsFor(mediaType);
  const url = await fileStore.signDownload(key, {
    ...{ name, mediaType, sha256, expiresInSeconds, publicUrl },
    inline: inline && isSafeInline(mediaType),
  });
  return { url, expires_at: new Date(now().getTime() + expiresInSeconds * 1000).toISOString() };
}

const readable = async (
  db: ReadDb,
  actor: Actor | undefined,
  ids: readonly number[],
  now: Date,
): Promise<Readable[]> => {
  const rows = await rowsOf(
    db,
    Readable.extend({ anonymous: AnonymousFileLabel }),
    sql`
      select files.id, stored_objects.key, files.name, files.media_type, files.size::float8 as size, files.sha256,
             ${anonymousFileLabelJsonSql(actor)} as anonymous
      from files join stored_objects on stored_objects.id = files.object_id
      where files.id = any(${sql.param(ids)}::bigint[]) and files.state in ('checking', 'ready')
        and ${readableFileCondition(actor, now)}`,
  );
  return rows.map(({ anonymous, ...file }) =>
    anonymous ? { ...file, name: anonymousFileName(file.name, anonymous) } : file,
  );
};

/** 404 unless the caller may read the file now. */
export async function getFileDownloadUrl(
  parts: Parts,
  actor: Actor | undefined,
  id: number,
  wanted: Wanted,
): Promise<FileAddress> {
  const [file] = await readable(parts.db, actor, [id], parts.now());
  if (!file) throw notFound("File");
  return addressOf(parts, file, wanted);
}

/** In the requested order; omits files that the caller may not read. */
export async function getFileDownloadUrls(
  parts: Parts,
  actor: Actor | undefined,
  { ids, inline }: FileAddressesAsk,
  publicUrl: string,
): Promise<FileAddresses> {
  const found = await readable(parts.db, actor, ids, parts.now());
  const byId = new Map(found.map((file) => [file.id, file]));
  const asked = [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  return Promise.all(
    asked.map(async (file) => {
      const { id, name, media_type, size } = file;
      return { id, name, media_type, size, ...(await addressOf(parts, file, { inline, publicUrl })) };
    }),
  );
}

/** By the picture's secret token; 404 once the person has another or none. */
export const getAvatarDownloadUrl = (parts: Parts, token: string, publicUrl: string): Promise<FileAddress> =>
  addressOfShown(
    parts,
    sql`users join file_uses on file_uses.avatar_user_id = users.id and users.avatar_token = ${token}`,
    publicUrl,
  );

export const getLogoDownloadUrl = (parts: Parts, token: string, publicUrl: string): Promise<FileAddress> =>
  addressOfShown(
    parts,
    sql`universities join file_uses
      on file_uses.logo_university_id = universities.id and universities.logo_token = ${token}`,
    publicUrl,
  );

/** The picture that `file_uses`, joined to its owner, finds. */
async function addressOfShown(parts: Parts, owned: SQL, publicUrl: string): Promise<FileAddress> {
  const [file] = await rowsOf(
    parts.db,
    Readable,
    sql`
      select files.id, stored_objects.key, files.name, files.media_type, files.size::float8 as size, files.sha256
      from ${owned}
      join files on files.id = file_uses.file_id and files.state = 'ready'
      join stored_objects on stored_objects.id = files.object_id`,
  );
  if (!file) throw notFound("Picture");
  return addressOf(parts, file, { inline: true, publicUrl });
}

const Deleted = z.object({ refusal: z.literal("in use").nullable() });

/** 400 if the file is in use, 403 for a readable file of another person, else 404. */
export async function deleteFile(
  { db, now }: Pick<Deps, "db" | "now">,
  actor: Actor,
  id: number,
): Promise<void> {
  const [done] = await rowsOf(
    db,
    Deleted,
    sql`
      with reached as materialized (
        select files.id from files
        where files.id = ${id} and ${tokenReachCondition(actor, sql`files.university_id`, { offering: sql`files.course_offering_id` }) ?? sql`true`}
          and ${readableFileCondition(actor, now())}
      )
      select done.refusal from reached cross join lateral delete_file_if_unused(reached.id, ${actor.id}) as done`,
  );
  if (done?.refusal) throw badRequest("still_in_use", { thing: "File" });
  if (!done) throw notFound("File");
}
