import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { valueAs } from "../db/query/rows.ts";

// The aliases are used nowhere else: no name of a caller's is captured.

/** In which language a course is written; null where there is no course. */
export const languageOfCourse = (courseId: SQL) =>
  valueAs(
    z.string().nullable(),
  )`(select spoken_course.language_code from courses as spoken_course where spoken_course.id = ${courseId})`;

/** The same of the course of an offering. */
export const languageOfOffering = (offeringId: SQL) =>
  languageOfCourse(
    sql`(select spoken_offering.course_id from course_offerings as spoken_offering where spoken_offering.id = ${offeringId})`,
  );

/** The same of the course of a content item. */
export const languageOfItem = (itemId: SQL) =>
  languageOfCourse(
    sql`(select spoken_item.course_id from content_items as spoken_item where spoken_item.id = ${itemId})`,
  );
