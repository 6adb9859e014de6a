import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { typedSql } from "../platform/db/query/rows.ts";

// These aliases are used only here, so they capture no name of the caller's SQL.

/** Null if there is no such course. */
export const courseLanguageSql = (courseId: SQL) =>
  typedSql(
    z.string().nullable(),
  )`(select spoken_course.language_code from courses as spoken_course where spoken_course.id = ${courseId})`;

export const offeringLanguageSql = (offeringId: SQL) =>
  courseLanguageSql(
    sql`(select spoken_offering.course_id from course_offerings as spoken_offering where spoken_offering.id = ${offeringId})`,
  );

export const itemLanguageSql = (itemId: SQL) =>
  courseLanguageSql(
    sql`(select spoken_item.course_id from content_items as spoken_item where spoken_item.id = ${itemId})`,
  );
