import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { formatWeakEtag, listResponse } from "../../../lib/integrations/scim/protocol.ts";
import {
  type StoredScimUser,
  scimLocationUrl,
  toScimUser,
} from "../../../lib/integrations/scim/user-record.ts";
import * as users from "../../../lib/integrations/scim/users.ts";
import { ScimBody, ScimPath, ScimQuery, ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { bySystemApiKey, scimBaseUrl, scimResponseContract } from "./contract.ts";
import { logAndBuildScimResponse, versionsInIfMatch } from "./replies.ts";

type Asked = Pick<HandlerInput, "http"> & { deps: Pick<HandlerInput["deps"], "config"> };

const pageOf = (
  { http, deps }: Asked,
  found: Awaited<ReturnType<typeof users.listScimUsers>>,
  query: ScimQuery,
) => {
  const base = scimBaseUrl(http, deps.config);
  const items = found.users.map((one) => projectAttributes(toScimUser(one, base), query));
  return logAndBuildScimResponse(listResponse({ ...found, items }));
};

const answerOf = ({ http, deps }: Asked, user: StoredScimUser, query: ScimQuery) =>
  logAndBuildScimResponse(projectAttributes(toScimUser(user, scimBaseUrl(http, deps.config)), query), {
    version: user.version,
  });

export const listScimUsers = endpoint(
  {
    id: "listScimUsers",
    method: "get",
    path: "/Users",
    summary: "List SCIM users",
    ...bySystemApiKey,
    query: ScimQuery,
    ...scimResponseContract(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await users.listScimUsers(call.deps.db, call.actor, call.query), call.query),
);

export const searchScimUsers = endpoint(
  {
    id: "searchScimUsers",
    method: "post",
    path: "/Users/.search",
    summary: "Search SCIM users",
    ...bySystemApiKey,
    body: ScimSearch,
    ...scimResponseContract(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await users.listScimUsers(call.deps.db, call.actor, call.body), call.body),
);

export const createScimUser = endpoint(
  {
    id: "createScimUser",
    method: "post",
    path: "/Users",
    summary: "Create a SCIM user",
    ...bySystemApiKey,
    body: ScimBody,
    query: ScimQuery,
    ...scimResponseContract(201, "The User"),
    fails: [400, 409],
  },
  async ({ deps, actor, body, query, http }) => {
    const base = scimBaseUrl(http, deps.config);
    const made = await users.createScimUser(deps.db, actor, body);
    return logAndBuildScimResponse(projectAttributes(toScimUser(made, base), query), {
      status: 201,
      version: made.version,
      location: scimLocationUrl("User", made.id, base),
    });
  },
);

export const getScimUser = endpoint(
  {
    id: "getScimUser",
    method: "get",
    path: "/Users/{id}",
    summary: "Read a SCIM user",
    ...bySystemApiKey,
    params: ScimPath,
    query: ScimQuery,
    ...scimResponseContract(200, "The User"),
    fails: [404],
  },
  async ({ deps, actor, params, query, http }) => {
    const found = await users.getScimUser(deps.db, actor, params.id);
    if (http.req.header("if-none-match") === formatWeakEtag(found.version))
      return logAndBuildScimResponse(null, { status: 304, version: found.version });
    return answerOf({ deps, http }, found, query);
  },
);

export const replaceScimUser = endpoint(
  {
    id: "replaceScimUser",
    method: "put",
    path: "/Users/{id}",
    summary: "Replace a SCIM user",
    ...bySystemApiKey,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...scimResponseContract(200, "The User"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await users.replaceScimUser(
      deps.db,
      actor,
      params.id,
      body,
      versionsInIfMatch(http.req.header("if-match")),
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
    ...bySystemApiKey,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...scimResponseContract(200, "The User"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await users.patchScimUser(
      deps.db,
      actor,
      params.id,
      body,
      versionsInIfMatch(http.req.header("if-match")),
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
    ...bySystemApiKey,
    params: ScimPath,
    ...scimResponseContract(204, "Deleted, with the roles and seats it granted"),
    fails: [404, 412],
  },
  async ({ deps, actor, params, http }) => {
    await users.deleteScimUser(deps.db, actor, params.id, versionsInIfMatch(http.req.header("if-match")));
    return logAndBuildScimResponse(null, { status: 204 });
  },
);
