import { sql } from "drizzle-orm";
import * as z from "zod";
import type { FileCreate, StoredFile } from "../../schema/api/files/files.ts";
import type { Deps } from "../deps.ts";
import { badRequest, type HttpError, tooManyRequests, unauthorized } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { ensureTokenReachesWholeAccount, tokenReachCondition } from "../identity/auth/token-reach.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { choosePartSize, multipartThresholdBytes } from "../platform/file-store/file-store.ts";
import { newUploadKey } from "../platform/file-store/keys.ts";
import { maxFileBytes, uploadLimits } from "./limits.ts";
import { FileRow, fileJsonSql, toStoredFile } from "./stored-file.ts";
import { createUploadUrls } from "./upload-addresses.ts";
import { explainUploadScopeRefusal, permittedUploadScopeQuery } from "./upload-scope.ts";

type Parts = Pick<Deps, "db" | "config" | "fileStore" | "now">;

const Promised = z.object({
  refusal: z.enum(["university", "files", "bytes"]).nullable(),
  is_begun: z.boolean(),
  file: FileRow.nullable(),
});

/**
 * Returns the upload's URLs. 404, 403 or 422 by scope, 400 above the limit of a file or the university, 429
 * above the person's daily limit.
 */
export async function registerUpload(
  parts: Parts,
  actor: Actor,
  input: FileCreate,
  publicUrl: string,
): Promise<StoredFile> {
  const { config, fileStore } = parts;
  const largest = maxFileBytes(config, input.purpose);
  if (input.size > largest)
    throw badRequest("file_too_large", { purpose: input.purpose, megabytes: largest / 1_000_000 });
  // An avatar belongs to the account, not to a university.
  if (input.purpose === "AVATAR") ensureTokenReachesWholeAccount(actor);
  const file = await insertPromise(parts, actor, input);
  try {
    const begun = file.part_size === null ? file : await beginParts(parts, file);
    return toStoredFile(begun, await createUploadUrls(fileStore, begun, publicUrl));
  } catch (error) {
    // The store is unavailable or not configured.
    await parts.db.execute(sql`delete from files where id = ${file.id}`);
    throw error;
  }
}

async function insertPromise({ db, config, now }: Parts, actor: Actor, input: FileCreate): Promise<FileRow> {
  const { sha256, purpose, ...rest } = input;
  const at = now();
  const promised = JSON.stringify({
    ...{ name: rest.name, size: rest.size, media_type: rest.media_type },
    ...{ purpose: purpose.toLowerCase(), promised_sha256: sha256 ?? null, upload_key: newUploadKey() },
    part_size: rest.size >= multipartThresholdBytes ? choosePartSize(rest.size) : null,
  });
  const [row] = await rowsOf(
    db,
    Promised,
    sql`
      with scope as materialized (${permittedUploadScopeQuery(actor, input, at)}),
      reached as materialized (
        select * from scope where ${tokenReachCondition(actor, sql`scope.university_id`, { offering: sql`scope.course_offering_id` }) ?? sql`true`}
      )
      select done.refusal, done.refusal is not null or (done.file).id is not null as is_begun,
        ${fileJsonSql(sql`done.file`)} as file
      from reached cross join lateral begin_upload_within_limits(
        ${promised}::jsonb || to_jsonb(reached), ${actor.id}, ${JSON.stringify(uploadLimits(config))}::jsonb,
        ${at.toISOString()}) as done`,
  );
  if (!row) return explainUploadScopeRefusal(db, actor, input, at);
  if (row.refusal) throw refusals[row.refusal](config, at);
  // The account was erased while the request ran.
  if (!row.file) throw unauthorized();
  return row.file;
}

const refusals: Record<"university" | "files" | "bytes", (config: Deps["config"], now: Date) => HttpError> = {
  university: ({ FILE_QUOTA_GB }) => badRequest("quota_used_up", { gigabytes: FILE_QUOTA_GB }),
  files: ({ FILE_DAILY_COUNT }, now) =>
    tooManyRequests("too_many_files_today", secondsLeft(now), { count: FILE_DAILY_COUNT }),
  bytes: ({ FILE_DAILY_GB }, now) =>
    tooManyRequests("too_many_bytes_today", secondsLeft(now), { gigabytes: FILE_DAILY_GB }),
};

const secondsLeft = (now: Date): number => 86_400 - Math.floor((now.getTime() / 1000) % 86_400);

async function beginParts({ db, fileStore }: Parts, file: FileRow): Promise<FileRow> {
  const { upload_key: key, size, media_type: mediaType } = file;
  const { multipartId, partSize } = await fileStore.beginParts(key ?? "", { size, mediaType });
  await db.execute(sql`
    update files set multipart_id = ${multipartId}, part_size = ${partSize}
    where id = ${file.id} and state = 'pending'`);
  return { ...file, multipart_id: multipartId, part_size: partSize };
}
