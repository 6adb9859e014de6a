import { sql } from "drizzle-orm";
import * as z from "zod";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { FileText, itemFileTextsJsonQuery } from "./file-texts.ts";
import { type TutorContext, tutorContextSql } from "./tutor-context.ts";

/** Columns of a `TopicRow`, from the item joined with type, module and course. */
export const topicColumns = {
  content_item_id: contentItems.id,
  module_id: contentItems.module_id,
  course_id: contentItems.course_id,
  university_id: contentItems.university_id,
  title: contentItems.title,
  description: contentItems.description,
  content_type: contentTypes.name,
  data_json: contentItems.data_json,
  module_title: modules.title,
  course_title: courses.title,
  course_code: courses.code,
  language: courses.language_code,
  // The stored spelling; API columns of enums are upper case.
  level: sql<string>`${courses.level}`,
  tutor: sql<TutorContext | null>`${tutorContextSql(sql`${contentItems.id}`)}`,
  file_texts: typedSql(z.array(FileText).nullable())`(${itemFileTextsJsonQuery(contentItems.id)})`,
};
