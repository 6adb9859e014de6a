import { sql } from "drizzle-orm";
import * as z from "zod";
import type { GraderFiles } from "../../schema/api/assessment/submissions.ts";
import {
  AnonymousFileLabel,
  anonymousFileLabelJsonSql,
  anonymousFileName,
} from "../courses/anonymous-file-name.ts";
import type { ReadDeps } from "../deps.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import {
  ensureGraderCallSigned,
  type GraderCall,
  GraderSecretVersionRow,
  graderSecretVersionColumnsSql,
} from "./grader-calls.ts";

type Parts = Pick<ReadDeps, "db" | "config" | "fileStore" | "now">;

const SentFile = z.object({
  id: z.int(),
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  sha256: z.string().nullable(),
  key: z.string(),
  anonymous: AnonymousFileLabel,
});

const Asked = GraderSecretVersionRow.extend({ files: z.array(SentFile) });

/** For a grader to download the files. */
const expiresInSeconds = 3600;

/**
 * Signed URLs of a submission's READY files, for the item's own grader. 401 unless signed with the item's
 * current secret within five minutes, even if there is no such submission.
 */
export async function signedSubmissionFileUrlsForGrader(
  { db, config, fileStore, now }: Parts,
  call: GraderCall,
  publicUrl: string,
): Promise<GraderFiles> {
  const [asked] = await rowsOf(
    db,
    Asked,
    sql`
      select ${graderSecretVersionColumnsSql}, coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', files.id, 'name', files.name, 'media_type', files.media_type, 'size', files.size, 'sha256', files.sha256,
          'key', stored_objects.key, 'anonymous', ${anonymousFileLabelJsonSql(undefined)}) order by file_uses.place, file_uses.id)
        from file_uses join files on files.id = file_uses.file_id and files.state = 'ready'
        join stored_objects on stored_objects.id = files.object_id
        where file_uses.submission_id in (select submissions_sharing_files(lab_submissions.id))), '[]') as files
      from lab_submissions where id = ${call.submissionId}`,
  );
  const { files } = ensureGraderCallSigned(asked, call, config, now());
  const expires_at = new Date(now().getTime() + expiresInSeconds * 1000).toISOString();
  return Promise.all(
    files.map(async ({ key, anonymous, name: given, ...file }) => {
      const { media_type: mediaType, sha256 } = file;
      const name = anonymous ? anonymousFileName(given, anonymous) : given;
      const options = { name, mediaType, sha256, inline: false, expiresInSeconds, publicUrl };
      return { ...file, name, url: await fileStore.signDownload(key, options), expires_at };
    }),
  );
}
