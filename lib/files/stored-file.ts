import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { StoredFile } from "../../schema/api/files/files.ts";
import { files } from "../../schema/db/files/files.ts";
import { wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { decodeStoredReason } from "../platform/results/stored-reason.ts";

const columns = {
  id: files.id,
  purpose: files.purpose,
  state: files.state,
  refusal: files.refusal,
  name: files.name,
  media_type: files.media_type,
  size: files.size,
  sha256: files.sha256,
  university_id: files.university_id,
  course_id: files.course_id,
  course_offering_id: files.course_offering_id,
  content_item_id: files.content_item_id,
  submission_id: files.submission_id,
  uploaded_by_user_id: files.uploaded_by_user_id,
  created_at: files.created_at,
  completed_at: files.completed_at,
  is_in_use: sql`files.loose_since is null`,
  upload_key: files.upload_key,
  multipart_id: files.multipart_id,
  part_size: files.part_size,
};

export const FileRow = StoredFile.omit({ code: true, upload: true }).extend({
  upload_key: z.string().nullable(),
  multipart_id: z.string().nullable(),
  part_size: z.int().nullable(),
});

export type FileRow = z.output<typeof FileRow>;

export const fileColumnsSql = (): SQL => wireColumnsSql(columns);

/** A database function's file, as JSON, or null. */
export const fileJsonSql = (file: SQL): SQL => sql`(
  select row_to_json(one) from (select ${fileColumnsSql()} from (select (${file}).*) as files where files.id is not null) as one)`;

export function toStoredFile(row: FileRow, upload: StoredFile["upload"] = null): StoredFile {
  const { upload_key: _, multipart_id: __, part_size: ___, ...file } = row;
  const { code, reason } = decodeStoredReason(file.refusal);
  return { ...file, refusal: reason, code, upload };
}
