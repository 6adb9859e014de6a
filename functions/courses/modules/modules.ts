import * as authoring from "../../../lib/courses/modules/authoring.ts";
import * as modules from "../../../lib/courses/modules/modules.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import { Course } from "../../../schema/api/courses/courses.ts";
import {
  Module,
  ModuleCreate,
  ModuleListQuery,
  ModuleOrder,
  ModuleUpdate,
} from "../../../schema/api/courses/modules.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const ofCourse = pathIds("course_id");
const params = pathIds("module_id");

export const listCourseModules = endpoint(
  {
    id: "listCourseModules",
    method: "get",
    path: "/courses/{course_id}/modules",
    changesSeldom: true,
    summary: "List modules of a course",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: ofCourse,
    query: ModuleListQuery,
    ...ok(listOf(Module), "The tree as a flat list, depth first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => modules.listModules(deps.db, actor, params.course_id, query),
);

export const listRootModules = endpoint(
  {
    id: "listRootModules",
    method: "get",
    path: "/courses/{course_id}/modules/root",
    changesSeldom: true,
    summary: "List top-level modules of a course",
    ...publicOrPermittedTo("course:read-unpublished"),
    params: ofCourse,
    query: ModuleListQuery,
    ...ok(listOf(Module), "Top-level modules in their order"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => modules.listRootModules(deps.db, actor, params.course_id, query),
);

export const getModule = endpoint(
  {
    id: "getModule",
    method: "get",
    path: "/{module_id}",
    changesSeldom: true,
    summary: "Read a module",
    ...publicOrPermittedTo("course:read-unpublished"),
    params,
    ...ok(Module, "The module"),
    fails: [404],
  },
  ({ deps, actor, params }) => modules.getModule(deps.db, actor, params.module_id),
);

export const listModuleChildren = endpoint(
  {
    id: "listModuleChildren",
    method: "get",
    path: "/{module_id}/children",
    changesSeldom: true,
    summary: "List child modules of a module",
    ...publicOrPermittedTo("course:read-unpublished"),
    params,
    query: ModuleListQuery,
    ...ok(listOf(Module), "Direct children in their order"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => modules.listChildModules(deps.db, actor, params.module_id, query),
);

export const createModule = endpoint(
  {
    id: "createModule",
    method: "post",
    path: "/",
    summary: "Create a module",
    ...permittedTo("module:write"),
    body: ModuleCreate,
    ...created(Module, "The new module"),
    fails: [400, 403],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, body }) => authoring.createModule(deps.db, actor, body),
);

export const reorderModules = endpoint(
  {
    id: "reorderModules",
    method: "post",
    path: "/reorder",
    summary: "Reorder sibling modules",
    description:
      "Siblings that are not listed follow in their former order. Numbering starts at 1. The order is " +
      "versioned with the course's `version`.",
    ...permittedTo("module:write"),
    body: ModuleOrder,
    versioned: Course,
    ...ok(listOf(Module), "All siblings in the new order"),
    fails: [400, 403],
  },
  ({ deps, actor, body, ifMatch }) => authoring.reorderModules(deps.db, actor, body.module_ids, ifMatch),
);

export const updateModule = endpoint(
  {
    id: "updateModule",
    method: "put",
    path: "/{module_id}",
    summary: "Update or move a module",
    ...permittedTo("module:write"),
    params,
    body: ModuleUpdate,
    versioned: Module,
    ...ok(Module, "The updated module"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body, ifMatch }) =>
    authoring.updateModule(deps.db, actor, params.module_id, body, ifMatch),
);

export const deleteModule = endpoint(
  {
    id: "deleteModule",
    method: "delete",
    path: "/{module_id}",
    summary: "Delete a module with its contents",
    ...permittedTo("module:write"),
    params,
    versioned: Module,
    ...noContent("Deleted"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, ifMatch }) => authoring.deleteModule(deps.db, actor, params.module_id, ifMatch),
);
