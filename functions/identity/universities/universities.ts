import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import { setLogo } from "../../../lib/identity/universities/logo.ts";
import * as universities from "../../../lib/identity/universities/universities.ts";
import { LogoUpdate } from "../../../schema/api/files/files.ts";
import { UniversityLogo } from "../../../schema/api/identity/looks.ts";
import {
  University,
  UniversityCreate,
  UniversityQuery,
  UniversityUpdate,
} from "../../../schema/api/identity/universities.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("university_id");

export const listUniversities = endpoint(
  {
    id: "listUniversities",
    method: "get",
    path: "/",
    changesSeldom: true,
    summary: "List universities",
    ...anyone,
    query: UniversityQuery,
    ...ok(listOf(University), "The matching universities"),
  },
  ({ deps, query }) => universities.listUniversities(deps.db, query),
);

export const createUniversity = endpoint(
  {
    id: "createUniversity",
    method: "post",
    path: "/",
    summary: "Create a university",
    ...permittedTo("university:create"),
    body: UniversityCreate,
    ...created(University, "The new university"),
    fails: [400],
    refuses: { 400: ["already_taken", "does_not_exist"] },
  },
  ({ deps, body }) => universities.createUniversity(deps.db, body),
);

export const getUniversity = endpoint(
  {
    id: "getUniversity",
    method: "get",
    path: "/{university_id}",
    changesSeldom: true,
    summary: "Read a university",
    ...anyone,
    params,
    ...ok(University, "The university"),
    fails: [404],
  },
  ({ deps, params }) => universities.getUniversity(deps.db, params.university_id),
);

export const updateUniversity = endpoint(
  {
    id: "updateUniversity",
    method: "put",
    path: "/{university_id}",
    summary: "Update a university",
    ...permittedTo("university:update"),
    params,
    body: UniversityUpdate,
    ...ok(University, "The updated university"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken", "does_not_exist"] },
  },
  ({ deps, actor, params, body }) =>
    universities.updateUniversity(deps.db, actor, params.university_id, body),
);

export const setUniversityLogo = endpoint(
  {
    id: "setUniversityLogo",
    method: "put",
    path: "/{university_id}/logo",
    summary: "Set or remove a university's logo",
    description: "The address of the previous logo becomes invalid.",
    ...permittedTo("university:update"),
    params,
    body: LogoUpdate,
    ...ok(UniversityLogo, "The address of the logo"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => setLogo(deps.db, actor, params.university_id, body.file_id, deps.now()),
);

export const deleteUniversity = endpoint(
  {
    id: "deleteUniversity",
    method: "delete",
    path: "/{university_id}",
    summary: "Delete a university without courses",
    ...permittedTo("university:delete"),
    params,
    ...noContent("Deleted, with its departments, roles and assets"),
    fails: [400, 404],
    refuses: { 400: ["still_in_use"] },
  },
  ({ deps, params }) => universities.deleteUniversity(deps.db, params.university_id),
);
