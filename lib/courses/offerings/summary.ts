import { sql } from "drizzle-orm";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { wireForm } from "../../../schema/db/platform/columns.ts";

export const courseSummaryJsonSql = sql`json_build_object(
  'id', ${courses.id}, 'title', ${courses.title}, 'code', ${courses.code}, 'university_id', ${courses.university_id},
  'language_code', ${courses.language_code})`;

export const offeringSummaryJsonSql = sql`json_build_object(
  'id', ${courseOfferings.id}, 'term_id', ${courseOfferings.term_id}, 'term_name', ${courseOfferings.term_name},
  'starts_at', ${wireForm(courseOfferings.starts_at)}, 'ends_at', ${wireForm(courseOfferings.ends_at)})`;
