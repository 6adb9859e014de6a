import * as posts from "../../../lib/community/posts.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Page through the posts of a discussion",
    description: "Read on with `after`, the id of the last post, while `has_more` says so.",
    ...ownOr("discussion:read"),
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
    summary: "Post in a discussion",
    description:
      "400 when the thread is locked, also by someone at the same moment, when the post that it answers is deleted or hidden, and below the eighth answer to an answer.",
    ...ownOr("discussion:read"),
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
    summary: "Edit a post of one's own",
    ...signedIn,
    params: pathWideIds("post_id"),
    body: DiscussionPostUpdate,
    ...ok(DiscussionPost, "The changed post"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => posts.updatePost(deps.db, actor, params.post_id, body, deps.now()),
);

export const deleteDiscussionPost = endpoint(
  {
    id: "deleteDiscussionPost",
    method: "delete",
    path: "/posts/{post_id}",
    summary: "Delete a post of one's own",
    description: "Its words go for good. It keeps its place, and what was answered to it stays.",
    ...signedIn,
    params: pathWideIds("post_id"),
    ...noContent("Its words are gone"),
    fails: [404],
  },
  ({ deps, actor, params }) => posts.deletePost(deps.db, actor, params.post_id),
);
