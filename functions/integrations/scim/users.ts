import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { listResponse, tagOf } from "../../../lib/integrations/scim/protocol.ts";
import { locationOf, type StoredUser, userOf } from "../../../lib/integrations/scim/user-record.ts";
import * as users from "../../../lib/integrations/scim/users.ts";
import { ScimBody, ScimPath, ScimQuery, ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { answered, baseOf, bySystem } from "./contract.ts";
import { expectedVersions, scimAnswer } from "./replies.ts";

type Asked = Pick<HandlerInput, "http"> & { deps: Pick<HandlerInput["deps"], "config"> };

const pageOf = (
  { http, deps }: Asked,
  found: Awaited<ReturnType<typeof users.listScimUsers>>,
  query: ScimQuery,
) => {
  const base = baseOf(http, deps.config);
  const items = found.users.map((one) => projectAttributes(userOf(one, base), query));
  return scimAnswer(listResponse({ ...found, items }));
};

const answerOf = ({ http, deps }: Asked, user: StoredUser, query: ScimQuery) =>
  scimAnswer(projectAttributes(userOf(user, baseOf(http, deps.config)), query), { version: user.version });

export const listScimUsers = endpoint(
  {
    id: "listScimUsers",
    method: "get",
    path: "/Users",
    summary: "List SCIM users",
    ...bySystem,
    query: ScimQuery,
    ...answered(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await users.listScimUsers(call.deps.db, call.actor, call.query), call.query),
);

export const searchScimUsers = endpoint(
  {
    id: "searchScimUsers",
    method: "post",
    path: "/Users/.search",
    summary: "Search SCIM users",
    ...bySystem,
    body: ScimSearch,
    ...answered(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await users.listScimUsers(call.deps.db, call.actor, call.body), call.body),
);

export const createScimUser = endpoint(
  {
    id: "createScimUser",
    method: "post",
    path: "/Users",
    summary: "Create a SCIM user",
    ...bySystem,
    body: ScimBody,
    query: ScimQuery,
    ...answered(201, "The User"),
    fails: [400, 409],
  },
  async ({ deps, actor, body, query, http }) => {
    const base = baseOf(http, deps.config);
    const made = await users.createScimUser(deps.db, actor, body);
    return scimAnswer(projectAttributes(userOf(made, base), query), {
      status: 201,
      version: made.version,
      location: locationOf("User", made.id, base),
    });
  },
);

export const getScimUser = endpoint(
  {
    id: "getScimUser",
    method: "get",
    path: "/Users/{id}",
    summary: "Read a SCIM user",
    ...bySystem,
    params: ScimPath,
    query: ScimQuery,
    ...answered(200, "The User"),
    fails: [404],
  },
  async ({ deps, actor, params, query, http }) => {
    const found = await users.getScimUser(deps.db, actor, params.id);
    if (http.req.header("if-none-match") === tagOf(found.version))
      return scimAnswer(null, { status: 304, version: found.version });
    return answerOf({ deps, http }, found, query);
  },
);

export const replaceScimUser = endpoint(
  {
    id: "replaceScimUser",
    method: "put",
    path: "/Users/{id}",
    summary: "Replace a SCIM user",
    ...bySystem,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...answered(200, "The User"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await users.replaceScimUser(
      deps.db,
      actor,
      params.id,
      body,
      expectedVersions(http.req.header("if-match")),
    );
    return answerOf({ deps, http }, written, query);
  },
);

export const patchScimUser = endpoint(
  {
    id: "patchScimUser",
    method: "patch",
    path: "/Users/{id}",
    summary: "Update a SCIM user",
    ...bySystem,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...answered(200, "The User"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await users.patchScimUser(
      deps.db,
      actor,
      params.id,
      body,
      expectedVersions(http.req.header("if-match")),
    );
    return answerOf({ deps, http }, written, query);
  },
);

export const deleteScimUser = endpoint(
  {
    id: "deleteScimUser",
    method: "delete",
    path: "/Users/{id}",
    summary: "Delete a SCIM user",
    ...bySystem,
    params: ScimPath,
    ...answered(204, "Deleted, with the roles and seats it granted"),
    fails: [404, 412],
  },
  async ({ deps, actor, params, http }) => {
    await users.deleteScimUser(deps.db, actor, params.id, expectedVersions(http.req.header("if-match")));
    return scimAnswer(null, { status: 204 });
  },
);
