import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../identity/auth/actor.ts";

/** `code` replaces the uploader's name, `place` numbers the file from 1; null if the name may be shown. */
export const AnonymousFileLabel = z.object({ code: z.string().nullable(), place: z.int() }).nullable();

export type AnonymousFileLabel = z.output<typeof AnonymousFileLabel>;

/**
 * For a row of `files`: set if the work is graded anonymously and is not the reader's own. No reader: an
 * automatic grader.
 */
export const anonymousFileLabelJsonSql = (reader: Actor | undefined): SQL => sql`(
  select json_build_object(
    'code', anonymous_code(work.course_offering_id, work.content_item_id, work.user_id), 'place', used.place)
  from file_uses as used join lab_submissions as work on work.id = used.submission_id
  where used.file_id = files.id and is_grading_anonymous(work.course_offering_id, work.content_item_id) and not exists (
    select from lab_submissions as own
    where own.id in (select submissions_sharing_files(work.id)) and own.user_id = ${reader?.id ?? null}::int)
  limit 1)`;

/** Keeps the file's extension. Pure. */
export function anonymousFileName(name: string, { code, place }: NonNullable<AnonymousFileLabel>): string {
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(name)?.[0] ?? "";
  return `${code ?? "anonymous"}-${place}${ending.toLowerCase()}`;
}

/** The day of a moment that would identify a person. Pure. */
export const truncateToUtcDay = (moment: string): string => `${moment.slice(0, 10)}T00:00:00.000Z`;
