import * as authoring from "../../../lib/courses/content/authoring.ts";
import * as items from "../../../lib/courses/content/items.ts";
import { listContent } from "../../../lib/courses/content/list.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, publishedOr } from "../../../lib/identity/auth/guards.ts";
import {
  ContentItem,
  ContentItemCreate,
  ContentItemUpdate,
  ContentListQuery,
  ContentOrder,
  ContentQuery,
  ListedContentItem,
} from "../../../schema/api/courses/content.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("content_id");

export const listModuleContent = endpoint(
  {
    id: "listModuleContent",
    method: "get",
    path: "/modules/{module_id}/content",
    changesSeldom: true,
    summary: "List a module's content",
    description:
      "Answers all items, or the window that is asked for. Where they would be too large to send, the list ends " +
      'early, and a `Link` header with `rel="next"` leads to the rest. What takes an enrollment, or is locked, comes ' +
      "without `data_json`.",
    ...publishedOr("course:read-unpublished", "key:read"),
    params: pathIds("module_id"),
    query: ContentListQuery,
    ...ok(listOf(ListedContentItem), "The items in their order"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listContent(deps.db, actor, params.module_id, query, deps.now()),
);

export const getContent = endpoint(
  {
    id: "getContent",
    method: "get",
    path: "/{content_id}",
    changesSeldom: true,
    summary: "Read a content item",
    description:
      "Keys, hidden tests and how they grade are left out for everyone but the course's staff, and for those of them who " +
      "learn it. 403 `Enrollment required` " +
      "where the course's access is ENROLLED and the caller has no place in it; 403 `Not available yet` while the item, " +
      "or a module that it is in, is locked for them.",
    ...publishedOr("course:read-unpublished", "key:read"),
    params,
    query: ContentQuery,
    ...ok(ContentItem, "The content item"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    items.getContentItem(deps.db, actor, params.content_id, deps.now(), query.as_learner),
);

export const createContent = endpoint(
  {
    id: "createContent",
    method: "post",
    path: "/",
    summary: "Create a content item in a module",
    ...may("content:write"),
    body: ContentItemCreate,
    ...created(ContentItem, "The new content item"),
    fails: [400, 403],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, body }) => authoring.createContentItem(deps.db, actor, body),
);

export const reorderContent = endpoint(
  {
    id: "reorderContent",
    method: "post",
    path: "/reorder",
    summary: "Give a module's content a new order",
    description:
      "Items that are not named follow in their old order. The numbering starts at 1. The order has the course's " +
      "`version`.",
    ...may("content:write"),
    body: ContentOrder,
    versioned: Course,
    ...ok(listOf(ContentItem), "All items of the module in their new order"),
    fails: [400, 403],
  },
  ({ deps, actor, body, ifMatch }) => authoring.reorderContent(deps.db, actor, body.content_ids, ifMatch),
);

export const updateContent = endpoint(
  {
    id: "updateContent",
    method: "put",
    path: "/{content_id}",
    summary: "Change, move or retire a content item",
    description:
      "An item with attempts, work or scores keeps its type. Where scores stand, other points want `rescale`: whether these are scaled, each in the changes of grades, or stay, and none may be over the points and extra points of the item then.",
    ...may("content:write"),
    params,
    body: ContentItemUpdate,
    versioned: ContentItem,
    ...ok(ContentItem, "The changed content item"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body, ifMatch }) =>
    authoring.updateContentItem(deps.db, actor, params.content_id, body, deps.now(), ifMatch),
);

export const deleteContent = endpoint(
  {
    id: "deleteContent",
    method: "delete",
    path: "/{content_id}",
    summary: "Delete a content item",
    ...may("content:write"),
    params,
    versioned: ContentItem,
    ...noContent("The content item is gone"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, ifMatch }) =>
    authoring.deleteContentItem(deps.db, actor, params.content_id, ifMatch),
);
