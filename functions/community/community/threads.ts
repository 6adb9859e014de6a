import * as threads from "../../../lib/community/threads.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List the discussions of an offering",
    description:
      "For those whose enrollment is active or completed, and staff. Discussions about what is not published are for staff alone, what was handed over for staff to them and to who handed it over, and what staff have with one learner to them and to that learner.",
    ...ownOr("discussion:read"),
    params: pathIds("offering_id"),
    query: DiscussionThreadQuery,
    ...ok(listOf(DiscussionThread), "Pinned ones first, then those with the newest posts"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => threads.listThreads(deps.db, actor, params.offering_id, query),
);

export const createDiscussionThread = endpoint(
  {
    id: "createDiscussionThread",
    method: "post",
    path: "/offerings/{offering_id}/threads",
    summary: "Begin a discussion",
    ...ownOr("discussion:read"),
    params: pathIds("offering_id"),
    body: DiscussionThreadCreate,
    ...created(DiscussionThread, "The new thread, with its first post"),
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
    summary: "Begin a discussion with one learner alone",
    description:
      "For who teaches the offering, with someone who has a place in it and is told. They answer in it as in any other; the " +
      "rest of the class sees nothing of it, and all staff of the offering do.",
    ...may("discussion:moderate"),
    params: pathIds("offering_id"),
    body: PrivateThreadCreate,
    ...created(DiscussionThread, "The new thread, with its first post"),
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
    summary: "Get a discussion without its posts",
    ...ownOr("discussion:read"),
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
    summary: "Name a discussion, mark its answer, pin or lock it",
    description: "Who began it names it and marks its answer; pinning and locking it is for staff.",
    ...ownOr("discussion:moderate"),
    params,
    body: DiscussionThreadUpdate,
    ...ok(DiscussionThreadWithHandover, "The changed thread"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => threads.updateThread(deps.db, actor, params.thread_id, body),
);

export const deleteDiscussionThread = endpoint(
  {
    id: "deleteDiscussionThread",
    method: "delete",
    path: "/threads/{thread_id}",
    summary: "Delete a discussion with its posts",
    ...may("discussion:moderate"),
    params,
    ...noContent("It is gone, and its posts with it"),
    fails: [404],
  },
  ({ deps, actor, params }) => threads.deleteThread(deps.db, actor, params.thread_id),
);
