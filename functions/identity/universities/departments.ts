import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as departments from "../../../lib/identity/universities/departments.ts";
import {
  Department,
  DepartmentCreate,
  DepartmentQuery,
  DepartmentUpdate,
} from "../../../schema/api/identity/departments.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/departments";
const single = "/{university_id}/departments/{department_id}";
const university = pathIds("university_id");
const params = pathIds("university_id", "department_id");

export const listUniversityDepartments = endpoint(
  {
    id: "listUniversityDepartments",
    method: "get",
    path: all,
    changesSeldom: true,
    summary: "List departments of a university",
    ...anyone,
    params: university,
    query: DepartmentQuery,
    ...ok(listOf(Department), "The matching departments"),
    fails: [404],
  },
  ({ deps, params, query }) => departments.listDepartments(deps.db, params.university_id, query),
);

export const createUniversityDepartment = endpoint(
  {
    id: "createUniversityDepartment",
    method: "post",
    path: all,
    summary: "Create a department",
    ...permittedTo("department:create"),
    params: university,
    body: DepartmentCreate,
    ...created(Department, "The new department"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => departments.createDepartment(deps.db, actor, params.university_id, body),
);

export const getUniversityDepartment = endpoint(
  {
    id: "getUniversityDepartment",
    method: "get",
    path: single,
    changesSeldom: true,
    summary: "Read a department",
    ...anyone,
    params,
    ...ok(Department, "The department"),
    fails: [404],
  },
  ({ deps, params }) => departments.getDepartment(deps.db, params),
);

export const updateUniversityDepartment = endpoint(
  {
    id: "updateUniversityDepartment",
    method: "put",
    path: single,
    summary: "Update a department",
    ...permittedTo("department:update"),
    params,
    body: DepartmentUpdate,
    ...ok(Department, "The updated department"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => departments.updateDepartment(deps.db, actor, params, body),
);

export const deleteUniversityDepartment = endpoint(
  {
    id: "deleteUniversityDepartment",
    method: "delete",
    path: single,
    summary: "Delete a department without courses",
    ...permittedTo("department:delete"),
    params,
    ...noContent("Deleted, with the roles bound to it"),
    fails: [400, 403, 404],
    refuses: { 400: ["still_in_use"] },
  },
  ({ deps, actor, params }) => departments.deleteDepartment(deps.db, actor, params),
);
