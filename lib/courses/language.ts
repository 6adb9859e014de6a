import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { valueAs } from "../db/query/rows.ts";

/** In which language a course is written; null where there is no course. */
export const languageOfCourse = (courseId: SQL) =>
  valueAs(
    z.string().nullable(),
  )`(select course.language_code from courses as course where course.id = ${courseId})`;

/** The same of the course of an offering. */
export const languageOfOffering = (offeringId: SQL) =>
  languageOfCourse(sql`(select run.course_id from course_offerings as run where run.id = ${offeringId})`);

/** The same of the course of a content item. */
export const languageOfItem = (itemId: SQL) =>
  languageOfCourse(sql`(select item.course_id from content_items as item where item.id = ${itemId})`);
