import * as posts from "../../../lib/community/posts.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  DiscussionPost,
  DiscussionPostCreate,
  DiscussionPostPage,
  DiscussionPostQuery,
  DiscussionPostUpdate,
} from "../../../schema/api/community/discussions.ts";
import { pathIds, pathWideIds } from "../../../schema/api/platform/fields.ts";

export const listDiscussionPosts = endpoint(
  {
    id: "listDiscussionPosts",
    method: "get",
    path: "/threads/{thread_id}/posts",
    summary: "List posts of a discussion",
    description: "While `has_more` is true, continue with the last id as `after`.",
    ...ownDataOrPermitted("discussion:read"),
    params: pathIds("thread_id"),
    query: DiscussionPostQuery,
    ...ok(DiscussionPostPage, "The first posts, or those after `after`"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => posts.listPosts(deps.db, actor, params.thread_id, query),
);

export const createDiscussionPost = endpoint(
  {
    id: "createDiscussionPost",
    method: "post",
    path: "/threads/{thread_id}/posts",
    summary: "Create a post",
    description:
      "Returns 400 if the thread is locked, or the parent post is deleted or hidden. Also returns 400 " +
      "below the eighth level of replies.",
    ...ownDataOrPermitted("discussion:read"),
    params: pathIds("thread_id"),
    body: DiscussionPostCreate,
    ...created(DiscussionPost, "The new post"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => posts.createPost(deps.db, actor, params.thread_id, body, deps.now()),
);

export const updateDiscussionPost = endpoint(
  {
    id: "updateDiscussionPost",
    method: "put",
    path: "/posts/{post_id}",
    summary: "Edit the caller's post",
    ...signedIn,
    params: pathWideIds("post_id"),
    body: DiscussionPostUpdate,
    ...ok(DiscussionPost, "The updated post"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => posts.updatePost(deps.db, actor, params.post_id, body, deps.now()),
);

export const deleteDiscussionPost = endpoint(
  {
    id: "deleteDiscussionPost",
    method: "delete",
    path: "/posts/{post_id}",
    summary: "Delete the caller's post",
    description: "Deletes the text permanently. The post keeps its position, and its replies stay.",
    ...signedIn,
    params: pathWideIds("post_id"),
    ...noContent("The text is deleted"),
    fails: [404],
  },
  ({ deps, actor, params }) => posts.deletePost(deps.db, actor, params.post_id),
);
