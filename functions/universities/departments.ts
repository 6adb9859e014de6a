import * as z from "zod";
import { anyone, may } from "../../lib/auth/guards.ts";
import { created, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import {
  createDepartment,
  deleteDepartment,
  getDepartment,
  listDepartments,
  updateDepartment,
} from "../../lib/universities/departments.ts";
import { Department, DepartmentCreate, DepartmentUpdate } from "../../schema/api/departments.ts";
import { listOf, pathIds, usualSlice } from "../../schema/api/fields.ts";

const all = "/{university_id}/departments";
const single = "/{university_id}/departments/{department_id}";
const university = pathIds("university_id");
const params = pathIds("university_id", "department_id");

export const list = endpoint(
  {
    method: "get",
    path: all,
    summary: "List the departments of a university",
    ...anyone,
    params: university,
    query: z.object(usualSlice),
    ...ok(listOf(Department), "Departments by id"),
    fails: [404],
  },
  ({ deps, params, query }) => listDepartments(deps.db, params.university_id, query),
);

export const create = endpoint(
  {
    method: "post",
    path: all,
    summary: "Create a department",
    ...may("department:create"),
    params: university,
    body: DepartmentCreate,
    ...created(Department, "The new department"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => createDepartment(deps.db, actor, params.university_id, body),
);

export const read = endpoint(
  {
    method: "get",
    path: single,
    summary: "Read a department",
    ...anyone,
    params,
    ...ok(Department, "The department"),
    fails: [404],
  },
  ({ deps, params }) => getDepartment(deps.db, params),
);

export const update = endpoint(
  {
    method: "put",
    path: single,
    summary: "Change a department",
    ...may("department:update"),
    params,
    body: DepartmentUpdate,
    ...ok(Department, "The changed department"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateDepartment(deps.db, actor, params, body),
);

export const remove = endpoint(
  {
    method: "delete",
    path: single,
    summary: "Delete a department that has no courses",
    ...may("department:delete"),
    params,
    ...noContent("Deleted, with the roles bound to it"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => deleteDepartment(deps.db, actor, params),
);
