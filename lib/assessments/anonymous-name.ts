import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../auth/actor.ts";

/** What stands for whoever handed a file in, and which of theirs it is, from 1; null where its name may be told. */
export const AnonymousAs = z.object({ code: z.string().nullable(), place: z.int() }).nullable();

export type AnonymousAs = z.output<typeof AnonymousAs>;

/**
 * An `AnonymousAs` of a row of `files`, for a reader: of work that is graded anonymously, unless it is their own. Without a
 * reader it is for a grader that is no person.
 */
export const anonymousAs = (reader: Actor | undefined): SQL => sql`(
  select json_build_object(
    'code', anonymous_code(work.course_offering_id, work.content_item_id, work.user_id), 'place', used.place)
  from file_uses as used join lab_submissions as work on work.id = used.submission_id
  where used.file_id = files.id and hides_people(work.course_offering_id, work.content_item_id) and not exists (
    select from lab_submissions as own
    where own.id in (select shared_submissions(work.id)) and own.user_id = ${reader?.id ?? null}::int)
  limit 1)`;

/** A file's name without what its owner called it, but for what it ends in. Pure. */
export function anonymousName(name: string, { code, place }: NonNullable<AnonymousAs>): string {
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(name)?.[0] ?? "";
  return `${code ?? "anonymous"}-${place}${ending.toLowerCase()}`;
}
