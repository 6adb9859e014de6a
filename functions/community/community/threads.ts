import * as threads from "../../../lib/community/threads.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  DiscussionThread,
  DiscussionThreadCreate,
  DiscussionThreadQuery,
  DiscussionThreadUpdate,
  DiscussionThreadWithHandover,
  PrivateThreadCreate,
} from "../../../schema/api/community/discussions.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("thread_id");

export const listDiscussionThreads = endpoint(
  {
    id: "listDiscussionThreads",
    method: "get",
    path: "/offerings/{offering_id}/threads",
    summary: "List discussions of an offering",
    description:
      "For people with an active or completed enrollment and for staff. Only staff see discussions about " +
      "unpublished content. Hand-offs to staff are visible to staff and their author, private discussions " +
      "to staff and the learner.",
    ...ownDataOrPermitted("discussion:read"),
    params: pathIds("offering_id"),
    query: DiscussionThreadQuery,
    ...ok(listOf(DiscussionThread), "Discussions, pinned first, then by newest post"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => threads.listThreads(deps.db, actor, params.offering_id, query),
);

export const createDiscussionThread = endpoint(
  {
    id: "createDiscussionThread",
    method: "post",
    path: "/offerings/{offering_id}/threads",
    summary: "Start a discussion",
    ...ownDataOrPermitted("discussion:read"),
    params: pathIds("offering_id"),
    body: DiscussionThreadCreate,
    ...created(DiscussionThread, "The new thread with its first post"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    threads.createThread(deps.db, actor, params.offering_id, body, deps.now()),
);

export const beginPrivateThread = endpoint(
  {
    id: "beginPrivateThread",
    method: "post",
    path: "/offerings/{offering_id}/private-threads",
    summary: "Start a private discussion",
    description:
      "A discussion of the offering's staff with one learner with a seat in it. The learner is notified " +
      "and can reply. All staff of the offering see the discussion, other learners do not.",
    ...permittedTo("discussion:moderate"),
    params: pathIds("offering_id"),
    body: PrivateThreadCreate,
    ...created(DiscussionThread, "The new thread with its first post"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    threads.beginPrivateThread(deps.db, actor, params.offering_id, body, deps.now()),
);

export const getDiscussionThread = endpoint(
  {
    id: "getDiscussionThread",
    method: "get",
    path: "/threads/{thread_id}",
    summary: "Read a discussion without its posts",
    ...ownDataOrPermitted("discussion:read"),
    params,
    ...ok(DiscussionThreadWithHandover, "The thread"),
    fails: [404],
  },
  ({ deps, actor, params }) => threads.getThread(deps.db, actor, params.thread_id),
);

export const updateDiscussionThread = endpoint(
  {
    id: "updateDiscussionThread",
    method: "put",
    path: "/threads/{thread_id}",
    summary: "Update a discussion",
    description: "The author can rename it and mark its answer. Staff can pin and lock it.",
    ...ownDataOrPermitted("discussion:moderate"),
    params,
    body: DiscussionThreadUpdate,
    ...ok(DiscussionThreadWithHandover, "The updated thread"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => threads.updateThread(deps.db, actor, params.thread_id, body),
);

export const deleteDiscussionThread = endpoint(
  {
    id: "deleteDiscussionThread",
    method: "delete",
    path: "/threads/{thread_id}",
    summary: "Delete a discussion",
    ...permittedTo("discussion:moderate"),
    params,
    ...noContent("Deleted with its posts"),
    fails: [404],
  },
  ({ deps, actor, params }) => threads.deleteThread(deps.db, actor, params.thread_id),
);
