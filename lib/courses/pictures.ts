import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../identity/auth/actor.ts";
import { typedSql } from "../platform/db/query/rows.ts";
import { attachableAssetFileCondition } from "./asset-files.ts";

/** For a row of `courses` or a given id. */
export const coursePictureFileIdSql = (course: SQLWrapper = sql`courses.id`): SQL<number | null> =>
  typedSql(z.int().nullable())`(select file_id from file_uses where file_uses.course_id = ${course})`;

/**
 * Sets or removes a picture within the statement that writes the course. A file that is no usable picture of
 * the university aborts it; `rethrowMissingFile` translates that.
 */
export function setCoursePictureSql(actor: Actor, fileId: number | null): SQL<number | null> {
  const isUsable = sql`exists (
    select from files where files.id = ${fileId}::bigint and ${attachableAssetFileCondition(actor, sql`courses.university_id`)})`;
  return typedSql(z.int().nullable())`set_course_picture(courses.id, ${fileId}::bigint, ${isUsable})`;
}
