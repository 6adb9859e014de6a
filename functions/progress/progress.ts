import { signedIn } from "../../lib/auth/guards.ts";
import { endpoint, ok } from "../../lib/http/endpoint.ts";
import { listContentProgress, listModuleProgress } from "../../lib/progress/list.ts";
import { postContentProgress, postModuleProgress } from "../../lib/progress/post.ts";
import { listOf } from "../../schema/api/fields.ts";
import {
  ContentProgress,
  ContentProgressPost,
  ModuleProgress,
  ModuleProgressPost,
  ProgressQuery,
} from "../../schema/api/progress.ts";

export const listModules = endpoint(
  {
    method: "get",
    path: "/modules/my-progress",
    summary: "List one's own progress in modules",
    ...signedIn,
    query: ProgressQuery,
    ...ok(listOf(ModuleProgress), "Progress by offering and module"),
  },
  ({ deps, actor, query }) => listModuleProgress(deps.db, actor, query),
);

export const postModule = endpoint(
  {
    method: "post",
    path: "/modules",
    summary: "Create or update one's progress in a module",
    ...signedIn,
    body: ModuleProgressPost,
    ...ok(ModuleProgress, "The progress as it stands now"),
    fails: [400, 403],
  },
  ({ deps, actor, body }) => postModuleProgress(deps.db, actor, body, deps.now()),
);

export const listContent = endpoint(
  {
    method: "get",
    path: "/content/my-progress",
    summary: "List one's own progress in content items",
    ...signedIn,
    query: ProgressQuery,
    ...ok(listOf(ContentProgress), "Progress by offering and content item"),
  },
  ({ deps, actor, query }) => listContentProgress(deps.db, actor, query),
);

export const postContent = endpoint(
  {
    method: "post",
    path: "/content",
    summary: "Create or update one's progress in a content item",
    ...signedIn,
    body: ContentProgressPost,
    ...ok(ContentProgress, "The progress as it stands now"),
    fails: [400, 403],
  },
  ({ deps, actor, body }) => postContentProgress(deps.db, actor, body, deps.now()),
);
