import * as authoring from "../../../lib/courses/content/authoring.ts";
import * as items from "../../../lib/courses/content/items.ts";
import { listContent } from "../../../lib/courses/content/list.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List content items of a module",
    description:
      "Returns all items or the requested page. If the response would be too large, the list ends early " +
      'with a `Link: rel="next"` header. Items that are locked or require an enrollment come without ' +
      "`data_json`.",
    ...publicOrPermittedTo("course:read-unpublished", "key:read"),
    params: pathIds("module_id"),
    query: ContentListQuery,
    ...ok(listOf(ListedContentItem), "Items in their order"),
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
      "Answer keys, hidden tests and grading details are only for staff who do not take the course. " +
      "Returns 403 `Enrollment required` if the course's access is ENROLLED and the caller has no seat. " +
      "Returns 403 `Not available yet` if the item or a module above it is locked for the caller.",
    ...publicOrPermittedTo("course:read-unpublished", "key:read"),
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
    summary: "Create a content item",
    ...permittedTo("content:write"),
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
    summary: "Reorder content items of a module",
    description:
      "Items that are not listed follow in their former order. Numbering starts at 1. The order is " +
      "versioned with the course's `version`.",
    ...permittedTo("content:write"),
    body: ContentOrder,
    versioned: Course,
    ...ok(listOf(ContentItem), "All items of the module in the new order"),
    fails: [400, 403],
  },
  ({ deps, actor, body, ifMatch }) => authoring.reorderContent(deps.db, actor, body.content_ids, ifMatch),
);

export const updateContent = endpoint(
  {
    id: "updateContent",
    method: "put",
    path: "/{content_id}",
    summary: "Update a content item",
    description:
      "To move the item, send another `module_id`; to retire it, set `is_active` to false. An item with " +
      "attempts, submissions or scores keeps its type. To change its points if scores exist, send " +
      "`rescale`. It decides whether scores are scaled, which the grade changes record, or kept. No score " +
      "may exceed the item's points plus extra points.",
    ...permittedTo("content:write"),
    params,
    body: ContentItemUpdate,
    versioned: ContentItem,
    ...ok(ContentItem, "The updated content item"),
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
    ...permittedTo("content:write"),
    params,
    versioned: ContentItem,
    ...noContent("Deleted"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, ifMatch }) =>
    authoring.deleteContentItem(deps.db, actor, params.content_id, ifMatch),
);
