import {
  attemptOfPersonCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import * as progress from "../../../lib/courses/progress/my-progress.ts";
import * as recording from "../../../lib/courses/progress/recording.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInVerifiedByWrite } from "../../../lib/identity/auth/guards.ts";
import {
  ContentProgress,
  ContentProgressPost,
  ModuleProgress,
  ModuleProgressPost,
  ProgressQuery,
} from "../../../schema/api/courses/progress.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const listMyModuleProgress = endpoint(
  {
    id: "listMyModuleProgress",
    method: "get",
    settles: "grades",
    path: "/modules/my-progress",
    summary: "List the caller's module progress",
    ...signedIn,
    query: ProgressQuery,
    ...ok(listOf(ModuleProgress), "Progress by offering and module"),
  },
  ({ deps, actor, query }) =>
    readAfterClosingExpiredAttempts(deps.db, deps.now(), attemptOfPersonCondition(actor.id), () =>
      progress.listModuleProgress(deps.db, actor, query),
    ),
);

export const recordModuleProgress = endpoint(
  {
    id: "recordModuleProgress",
    method: "post",
    path: "/modules",
    summary: "Record the caller's module progress",
    ...signedInVerifiedByWrite,
    body: ModuleProgressPost,
    ...ok(ModuleProgress, "The updated progress"),
    fails: [400, 403],
  },
  ({ deps, actor: caller, body }) => recording.recordModuleProgress(deps.db, caller, body, deps.now()),
);

export const listMyContentProgress = endpoint(
  {
    id: "listMyContentProgress",
    method: "get",
    settles: "grades",
    path: "/content/my-progress",
    summary: "List the caller's content progress",
    ...signedIn,
    query: ProgressQuery,
    ...ok(listOf(ContentProgress), "Progress by offering and content item"),
  },
  ({ deps, actor, query }) =>
    readAfterClosingExpiredAttempts(deps.db, deps.now(), attemptOfPersonCondition(actor.id), () =>
      progress.listContentProgress(deps.db, actor, query),
    ),
);

export const recordContentProgress = endpoint(
  {
    id: "recordContentProgress",
    method: "post",
    path: "/content",
    summary: "Record the caller's content progress",
    ...signedInVerifiedByWrite,
    body: ContentProgressPost,
    ...ok(ContentProgress, "The updated progress"),
    fails: [400, 403],
  },
  ({ deps, actor: caller, body }) => recording.recordContentProgress(deps.db, caller, body, deps.now()),
);
