import { type SQL, sql } from "drizzle-orm";
import { labSubmissions } from "../../schema/db/assessment/lab-submissions.ts";
import { questionPools } from "../../schema/db/assessment/questions.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { files } from "../../schema/db/files/files.ts";
import { openableAssetFileCondition } from "../courses/asset-files.ts";
import { openableItemCondition } from "../courses/content/item-access.ts";
import { visibleContentItemCondition } from "../courses/content/visibility.ts";
import {
  coursePermissionCondition,
  offeringPermissionCondition,
  visibleCourseCondition,
} from "../courses/course-permissions.ts";
import {
  moderateDiscussionsCondition,
  readableThreadCondition,
  threadsWithCoursesSql,
} from "../courses/discussion-access.ts";
import { poolPermissionCondition } from "../courses/question-pools.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";

/*
 * A file is readable to the readers of the place that uses it. Each rule is a condition on `files`, checked
 * in the statement that reads the file.
 */

const usedOn = (column: string): SQL =>
  sql`file_uses.file_id = files.id and file_uses.${sql.identifier(column)} is not null`;

/** Staff-only files need the right to read keys there. */
const onOpenItem = (actor: Actor | undefined, now: Date): SQL => sql`exists (
  select from file_uses
  join content_items on content_items.id = file_uses.content_item_id
  join modules on modules.id = content_items.module_id
  join courses on courses.id = content_items.course_id
  where ${usedOn("content_item_id")} and ${visibleContentItemCondition(actor)}
    and (not file_uses.is_for_staff or ${coursePermissionCondition(actor, "key:read")})
    and ${openableItemCondition(contentItems.id, actor, now)})`;

/** Of courses that the caller may see. */
const asPicture = (actor: Actor | undefined): SQL => sql`exists (
  select from file_uses join courses on courses.id = file_uses.course_id
  where ${usedOn("course_id")} and ${visibleCourseCondition(actor)})`;

/** Submitted work, for its owner and its graders. */
const asWork = (actor: Actor): SQL => sql`exists (
  select from file_uses
  join lab_submissions on lab_submissions.id in (select submissions_sharing_files(file_uses.submission_id))
  join course_offerings on course_offerings.id = lab_submissions.course_offering_id
  join courses on courses.id = course_offerings.course_id
  where ${usedOn("submission_id")} and ((${ownWork(actor)}) or ${offeringPermissionCondition(actor, "submission:read")}))`;

const ownWork = (actor: Actor): SQL => {
  const within = tokenReachCondition(actor, courses.university_id, { offering: sql`course_offerings.id` });
  return within
    ? sql`${labSubmissions.user_id} = ${actor.id} and ${within}`
    : sql`${labSubmissions.user_id} = ${actor.id}`;
};

/** For its learner once released or returned with the work, and for graders. */
const asFeedback = (actor: Actor): SQL => sql`exists (
  select from file_uses
  join lab_submissions on lab_submissions.id in (select submissions_sharing_files(file_uses.graded_submission_id, true))
  join course_offerings on course_offerings.id = lab_submissions.course_offering_id
  join courses on courses.id = course_offerings.course_id
  where ${usedOn("graded_submission_id")} and (
    (${ownWork(actor)} and (lab_submissions.status = 'returned'
      or are_item_grades_released(lab_submissions.course_offering_id, lab_submissions.content_item_id)))
    or (lab_submissions.user_id <> ${actor.id} and ${offeringPermissionCondition(actor, "submission:read")})))`;

/** For the readers of the thread while they can see the post. */
const inPost = (actor: Actor): SQL => sql`exists (
  select from file_uses
  join discussion_posts on discussion_posts.id = file_uses.post_id
  join (${threadsWithCoursesSql}) on discussion_threads.id = discussion_posts.thread_id
  where ${usedOn("post_id")} and ${readableThreadCondition(actor)} and not discussion_posts.is_deleted
    and (not discussion_posts.is_hidden or discussion_posts.user_id = ${actor.id} or ${moderateDiscussionsCondition(actor)}))`;

/** For readers of the pool, and for learners who drew the question. */
const inQuestion = (actor: Actor): SQL => sql`exists (
  select from file_uses
  join questions on questions.id = file_uses.question_id
  join question_pools on question_pools.id = questions.question_pool_id
  where ${usedOn("question_id")} and (${poolPermissionCondition(actor, "question:read")} or exists (
    select from quiz_attempt_questions as drawn
    join quiz_attempts on quiz_attempts.id = drawn.quiz_attempt_id
    where drawn.question_id = questions.id and quiz_attempts.user_id = ${actor.id}
      and ${tokenReachCondition(actor, questionPools.university_id, { offering: quizAttempts.course_offering_id }) ?? sql`true`})))`;

/** Unused files, own pictures and unchecked files: for their uploader. */
const asUploader = (actor: Actor): SQL => {
  const within = tokenReachCondition(actor, files.university_id, { offering: files.course_offering_id });
  const own = sql`files.uploaded_by_user_id = ${actor.id} and (
    files.state <> 'ready' or not exists (
      select from file_uses where file_uses.file_id = files.id and file_uses.avatar_user_id is null))`;
  return within ? sql`(${own} and ${within})` : sql`(${own})`;
};

/** Unchecked files only for their uploader. */
export function readableFileCondition(actor: Actor | undefined, now: Date): SQL {
  const isReady = sql`files.state = 'ready' and files.erased_at is null`;
  const shown = sql`(${onOpenItem(actor, now)} or ${asPicture(actor)})`;
  if (!actor) return sql`(${isReady} and ${shown})`;
  const ways = [
    openableAssetFileCondition(actor),
    asWork(actor),
    asFeedback(actor),
    inPost(actor),
    inQuestion(actor),
    shown,
  ];
  return sql`(${asUploader(actor)} or (${isReady} and (${sql.join(ways, sql` or `)})))`;
}
