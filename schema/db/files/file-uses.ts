import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, uniqueIndex } from "drizzle-orm/pg-core";
import { labSubmissions } from "../assessment/lab-submissions.ts";
import { questions } from "../assessment/questions.ts";
import { discussionPosts } from "../community/discussions.ts";
import { assets } from "../courses/assets.ts";
import { contentItems } from "../courses/content-items.ts";
import { courses } from "../courses/courses.ts";
import { universities } from "../identity/universities.ts";
import { users } from "../identity/users.ts";
import { bigId, bigReference, reference } from "../platform/columns.ts";
import { files } from "./files.ts";

/** A use of a file: one owner per row, deleted with it. */
export const fileUses = pgTable(
  "file_uses",
  {
    id: bigId(),
    file_id: bigReference(() => files.id, "cascade").notNull(),
    /** With `content_item_id`: the item's asset that is this file. */
    asset_id: reference(() => assets.id, "cascade"),
    content_item_id: reference(() => contentItems.id, "cascade"),
    submission_id: bigReference(() => labSubmissions.id, "cascade"),
    /** For feedback: its submission. */
    graded_submission_id: bigReference(() => labSubmissions.id, "cascade"),
    post_id: bigReference(() => discussionPosts.id, "cascade"),
    course_id: reference(() => courses.id, "cascade"),
    /** A picture in any version of the question. */
    question_id: reference(() => questions.id, "cascade"),
    avatar_user_id: reference(() => users.id, "cascade"),
    logo_university_id: reference(() => universities.id, "cascade"),
    /** Whether learners cannot see this file of an item. */
    is_for_staff: boolean().notNull().default(false),
    place: integer().notNull().default(0),
  },
  (table) => [
    // A file is used once in a submission, feedback or post.
    uniqueIndex("file_uses_once_unique")
      .on(table.file_id)
      .where(sql`asset_id is null and content_item_id is null and course_id is null and question_id is null`),
    index().on(table.file_id),
    index().on(table.asset_id),
    index().on(table.content_item_id),
    index().on(table.submission_id),
    index().on(table.graded_submission_id),
    index().on(table.post_id),
    index().on(table.question_id),
    uniqueIndex("file_uses_course_id_unique").on(table.course_id),
    uniqueIndex("file_uses_avatar_user_id_unique").on(table.avatar_user_id),
    uniqueIndex("file_uses_logo_university_id_unique").on(table.logo_university_id),
    check(
      "file_uses_thing_check",
      sql`num_nonnulls(${table.submission_id}, ${table.graded_submission_id}, ${table.post_id}, ${table.avatar_user_id},
        ${table.course_id}, ${table.question_id}, ${table.logo_university_id}, coalesce(${table.asset_id}, ${table.content_item_id})) = 1`,
    ),
  ],
);
