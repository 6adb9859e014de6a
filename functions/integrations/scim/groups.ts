import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import * as groups from "../../../lib/integrations/scim/groups.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { formatWeakEtag, listResponse } from "../../../lib/integrations/scim/protocol.ts";
import { scimLocationUrl } from "../../../lib/integrations/scim/user-record.ts";
import { ScimBody, ScimPath, ScimQuery, ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { bySystemApiKey, scimBaseUrl, scimResponseContract } from "./contract.ts";
import { logAndBuildScimResponse, versionsInIfMatch } from "./replies.ts";

type Asked = Pick<HandlerInput, "http"> & { deps: Pick<HandlerInput["deps"], "config"> };

const pageOf = (
  { http, deps }: Asked,
  found: Awaited<ReturnType<typeof groups.listScimGroups>>,
  query: ScimQuery,
) => {
  const base = scimBaseUrl(http, deps.config);
  const items = found.groups.map((one) => projectAttributes(groups.toScimGroup(one, base), query));
  return logAndBuildScimResponse(listResponse({ ...found, items }));
};

const answerOf = ({ http, deps }: Asked, group: groups.StoredGroup, query: ScimQuery) =>
  logAndBuildScimResponse(
    projectAttributes(groups.toScimGroup(group, scimBaseUrl(http, deps.config)), query),
    {
      version: group.version,
    },
  );

export const listScimGroups = endpoint(
  {
    id: "listScimGroups",
    method: "get",
    path: "/Groups",
    summary: "List SCIM groups",
    ...bySystemApiKey,
    query: ScimQuery,
    ...scimResponseContract(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await groups.listScimGroups(call.deps.db, call.actor, call.query), call.query),
);

export const searchScimGroups = endpoint(
  {
    id: "searchScimGroups",
    method: "post",
    path: "/Groups/.search",
    summary: "Search SCIM groups",
    ...bySystemApiKey,
    body: ScimSearch,
    ...scimResponseContract(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await groups.listScimGroups(call.deps.db, call.actor, call.body), call.body),
);

export const createScimGroup = endpoint(
  {
    id: "createScimGroup",
    method: "post",
    path: "/Groups",
    summary: "Create a SCIM group",
    ...bySystemApiKey,
    body: ScimBody,
    query: ScimQuery,
    ...scimResponseContract(201, "The Group"),
    fails: [400, 409],
  },
  async ({ deps, actor, body, query, http }) => {
    const base = scimBaseUrl(http, deps.config);
    const made = await groups.createScimGroup(deps.db, actor, body);
    return logAndBuildScimResponse(projectAttributes(groups.toScimGroup(made, base), query), {
      status: 201,
      version: made.version,
      location: scimLocationUrl("Group", made.id, base),
    });
  },
);

export const getScimGroup = endpoint(
  {
    id: "getScimGroup",
    method: "get",
    path: "/Groups/{id}",
    summary: "Read a SCIM group",
    ...bySystemApiKey,
    params: ScimPath,
    query: ScimQuery,
    ...scimResponseContract(200, "The Group"),
    fails: [404],
  },
  async ({ deps, actor, params, query, http }) => {
    const found = await groups.getScimGroup(deps.db, actor, params.id, query);
    if (http.req.header("if-none-match") === formatWeakEtag(found.version))
      return logAndBuildScimResponse(null, { status: 304, version: found.version });
    return answerOf({ deps, http }, found, query);
  },
);

export const replaceScimGroup = endpoint(
  {
    id: "replaceScimGroup",
    method: "put",
    path: "/Groups/{id}",
    summary: "Replace a SCIM group",
    ...bySystemApiKey,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...scimResponseContract(200, "The Group"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await groups.replaceScimGroup(
      deps.db,
      actor,
      params.id,
      body,
      versionsInIfMatch(http.req.header("if-match")),
    );
    return answerOf({ deps, http }, written, query);
  },
);

export const patchScimGroup = endpoint(
  {
    id: "patchScimGroup",
    method: "patch",
    path: "/Groups/{id}",
    summary: "Update a SCIM group",
    ...bySystemApiKey,
    params: ScimPath,
    body: ScimBody,
    ...scimResponseContract(204, "Updated; read the group to get its members"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, body, http }) => {
    const written = await groups.patchScimGroup(
      deps.db,
      actor,
      params.id,
      body,
      versionsInIfMatch(http.req.header("if-match")),
    );
    return logAndBuildScimResponse(null, { status: 204, version: written.version });
  },
);

export const deleteScimGroup = endpoint(
  {
    id: "deleteScimGroup",
    method: "delete",
    path: "/Groups/{id}",
    summary: "Delete a SCIM group",
    ...bySystemApiKey,
    params: ScimPath,
    ...scimResponseContract(204, "Deleted, with the roles it granted"),
    fails: [404, 412],
  },
  async ({ deps, actor, params, http }) => {
    await groups.deleteScimGroup(deps.db, actor, params.id, versionsInIfMatch(http.req.header("if-match")));
    return logAndBuildScimResponse(null, { status: 204 });
  },
);
