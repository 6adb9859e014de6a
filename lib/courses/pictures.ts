import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type { Actor } from "../auth/actor.ts";
import { valueAs } from "../db/query/rows.ts";
import { assetFileUsableBy } from "./asset-files.ts";

/** The file that is the picture of a course: of a row of `courses`, or of the course with that id. */
export const pictureOf = (course: SQLWrapper = sql`courses.id`): SQL<number | null> =>
  valueAs(z.int().nullable())`(select file_id from file_uses where file_uses.course_id = ${course})`;

/**
 * In the statement that writes a row of `courses`: makes the file its picture, or takes that away, and answers it. What is
 * no picture of its university that the caller may put there refuses the statement, as `throwNoSuchFile` reads it.
 */
export function putPicture(actor: Actor, fileId: number | null): SQL<number | null> {
  const isUsable = sql`exists (
    select from files where files.id = ${fileId}::bigint and ${assetFileUsableBy(actor, sql`courses.university_id`)})`;
  return valueAs(z.int().nullable())`put_picture_of_course(courses.id, ${fileId}::bigint, ${isUsable})`;
}
