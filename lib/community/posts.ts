import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  DiscussionPost,
  type DiscussionPostCreate,
  type DiscussionPostPage,
  type DiscussionPostQuery,
  type DiscussionPostUpdate,
} from "../../schema/api/community/discussions.ts";
import { discussionPosts } from "../../schema/db/community/discussions.ts";
import { users } from "../../schema/db/identity/users.ts";
import { recordActivityCte } from "../courses/activity/record.ts";
import {
  moderateDiscussionsCondition,
  readableThreadCondition,
  threadsWithCoursesSql,
} from "../courses/discussion-access.ts";
import {
  badRequest,
  fieldValueMessagePlaceholders,
  forbidden,
  nonexistentFileErrorFromRefusal,
  notFound,
} from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { userAvatarUrlSql } from "../identity/users/avatar.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { rowsOf } from "../platform/db/query/rows.ts";

/*
 * Database functions add, edit and delete posts, one at a time per thread, and check permission. They return
 * the post or a refusal.
 */

const refusals = {
  locked: () => badRequest("thread_locked"),
  no_parent: (parent?: number | null) =>
    badRequest("does_not_exist", fieldValueMessagePlaceholders("Discussion post", "parent_post_id", parent)),
  parent_gone: () => badRequest("post_gone"),
  too_deep: () => badRequest("posts_too_deep"),
  deleted: () => badRequest("post_deleted"),
};

const Outcome = z.object({
  refusal: z
    .union([
      z.enum(Object.keys(refusals) as (keyof typeof refusals)[]),
      z.templateLiteral(["no file ", z.int()]),
    ])
    .nullable(),
  post: DiscussionPost.nullable(),
});

const filesOfPost = sql`(
  select coalesce(json_agg(files.summary order by file_uses.place, file_uses.id), '[]')
  from file_uses join file_summaries as files on files.id = file_uses.file_id where file_uses.post_id = discussion_posts.id)`;

/** Only a nested function sees rows that the same statement inserted. */
const filesOfNewPost = sql`attached_files_json('post', discussion_posts.id)`;

/** Needs the author's row of `users`. */
const columnsFor = (actor: Actor, seesHidden: SQL, files = filesOfPost): SQL => {
  const isShown = sql`not is_deleted
    and (not is_hidden or ${seesHidden} or discussion_posts.user_id = ${actor.id})`;
  return wireColumnsSql({
    id: discussionPosts.id,
    thread_id: discussionPosts.thread_id,
    parent_post_id: discussionPosts.parent_post_id,
    depth: discussionPosts.depth,
    user_id: discussionPosts.user_id,
    user_name: users.full_name,
    user_avatar_url: userAvatarUrlSql(),
    body: sql`case when ${isShown} then body end`,
    files: sql`case when ${isShown} then ${files} else '[]' end`,
    is_deleted: discussionPosts.is_deleted,
    is_hidden: discussionPosts.is_hidden,
    created_at: discussionPosts.created_at,
    updated_at: discussionPosts.updated_at,
  });
};

const withWriter = sql`left join users on users.id = discussion_posts.user_id`;

export const postJsonSql = (actor: Actor, post: SQL, seesHidden: SQL): SQL => sql`(
  select row_to_json(one) from (
    select ${columnsFor(actor, seesHidden, filesOfNewPost)} from (select (${post}).*) as discussion_posts ${withWriter}
    where discussion_posts.id is not null) as one)`;

export const postsWithCoursesSql = sql`
  discussion_posts join (${threadsWithCoursesSql}) on discussion_threads.id = discussion_posts.thread_id`;

/** In order of creation, after a given post; 404 as for the thread. */
export async function listPosts(
  db: ReadDb,
  actor: Actor,
  threadId: number,
  { after = 0, limit }: DiscussionPostQuery,
): Promise<DiscussionPostPage> {
  const page = sql`
    select ${columnsFor(actor, sql`thread.moderates`)} from discussion_posts ${withWriter}
    where discussion_posts.thread_id = thread.id and discussion_posts.id > ${after}
    order by discussion_posts.id limit ${limit + 1}`;
  const [thread] = await rowsOf(
    db,
    z.object({ posts: z.array(DiscussionPost) }),
    sql`
      with thread as materialized (
        select discussion_threads.id, ${moderateDiscussionsCondition(actor)} as moderates from ${threadsWithCoursesSql}
        where discussion_threads.id = ${threadId} and ${readableThreadCondition(actor)}
      )
      select coalesce((select json_agg(post order by id) from (${page}) as post), '[]') as posts from thread`,
  );
  if (!thread) throw notFound("Thread");
  return { posts: thread.posts.slice(0, limit), has_more: thread.posts.length > limit };
}

/**
 * Records the activity. 404 as for the thread; 400 for the refusals above, and for a file not uploaded for it
 * by the caller.
 */
export async function createPost(
  db: Db,
  actor: Actor,
  threadId: number,
  { body, parent_post_id = null, file_ids = [] }: DiscussionPostCreate,
  now: Date,
): Promise<DiscussionPost> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`
      with permitted as materialized (
        select discussion_threads.id, content_item_id, course_offering_id, course_offerings.university_id
        from ${threadsWithCoursesSql}
        where discussion_threads.id = ${threadId} and ${readableThreadCondition(actor)}
      ), added as materialized (
        select done.refusal, done.post, permitted.*
        from permitted cross join lateral
          add_discussion_post_and_notify(permitted.id, ${parent_post_id}::bigint, ${actor.id}, ${body}, ${now.toISOString()},
            ${sql.param(file_ids)}::bigint[]) as done
      ), done as (
        select 'posted' as verb, 'discussion_post' as object_type, (post).id as object_id, university_id,
               content_item_id, course_offering_id
        from added where refusal is null
      ), ${recordActivityCte(actor, now, sql`done`)}
      select refusal, ${postJsonSql(actor, sql`added.post`, sql`true`)} as post
      from added left join activity on true`,
  );
  if (!outcome) throw notFound("Thread");
  return postOf(outcome, parent_post_id);
}

/** 403 for another user's post, 404 if invisible, 400 for the refusals above. */
export async function updatePost(
  db: Db,
  actor: Actor,
  postId: number,
  { body, file_ids }: DiscussionPostUpdate,
  now: Date,
): Promise<DiscussionPost> {
  const [outcome] = await rowsOf(
    db,
    Outcome,
    sql`
      with permitted as materialized (${ownPost(actor, postId)})
      select done.refusal, ${postJsonSql(actor, sql`done.post`, sql`true`)} as post
      from permitted cross join lateral edit_discussion_post(permitted.id, ${body}, ${now.toISOString()},
        ${file_ids ? sql.param(file_ids) : null}::bigint[]) as done`,
  );
  return outcome ? postOf(outcome) : explainPostRefusal(db, actor, postId);
}

/** Empties the post but keeps it in the thread. 403 and 404 as for an edit. */
export async function deletePost(db: Db, actor: Actor, postId: number): Promise<void> {
  const deleted = await db.execute(sql`
    with permitted as materialized (${ownPost(actor, postId)})
    select delete_discussion_post_keeping_row(permitted.id) from permitted`);
  if (deleted.rowCount === 0) await explainPostRefusal(db, actor, postId);
}

const ownPost = (actor: Actor, postId: number): SQL => sql`
  select discussion_posts.id from ${postsWithCoursesSql}
  where discussion_posts.id = ${postId} and discussion_posts.user_id = ${actor.id} and ${readableThreadCondition(actor)}`;

function postOf({ refusal, post }: z.output<typeof Outcome>, parent?: number | null): DiscussionPost {
  if (refusal)
    throw nonexistentFileErrorFromRefusal(refusal) ?? refusals[refusal as keyof typeof refusals](parent);
  if (!post) throw notFound("Post");
  return post;
}

/** 404 if the caller cannot see the post, otherwise 403. */
export async function explainPostRefusal(
  db: Db,
  actor: Actor,
  postId: number,
  code: "not_your_post" | "not_enough_permissions" = "not_your_post",
): Promise<never> {
  const { rows } = await db.execute(sql`
    select from ${postsWithCoursesSql} where discussion_posts.id = ${postId} and ${readableThreadCondition(actor)}`);
  throw rows.length > 0 ? forbidden(code) : notFound("Post");
}
