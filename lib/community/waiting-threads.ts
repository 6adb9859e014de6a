import { type SQL, sql } from "drizzle-orm";

/** A `thread` is open and unanswered, and its last visible post is not by staff. */
export const threadWaitingForStaffCondition: SQL = sql`(
  not thread.is_locked and thread.answer_post_id is null and exists (
    select from (
      select user_id from discussion_posts
      where thread_id = thread.id and not is_deleted and not is_hidden order by id desc limit 1
    ) as last
    where last.user_id = thread.created_by_user_id
      or not is_staff_of_offering(last.user_id, thread.course_offering_id)))`;
