import { endpoint, type HandlerInput } from "../../../lib/http/endpoint.ts";
import * as groups from "../../../lib/integrations/scim/groups.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { listResponse, tagOf } from "../../../lib/integrations/scim/protocol.ts";
import { locationOf } from "../../../lib/integrations/scim/user-record.ts";
import { ScimBody, ScimPath, ScimQuery, ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { answered, baseOf, bySystem } from "./contract.ts";
import { expectedVersions, scimAnswer } from "./replies.ts";

type Asked = Pick<HandlerInput, "http"> & { deps: Pick<HandlerInput["deps"], "config"> };

const pageOf = (
  { http, deps }: Asked,
  found: Awaited<ReturnType<typeof groups.listScimGroups>>,
  query: ScimQuery,
) => {
  const base = baseOf(http, deps.config);
  const items = found.groups.map((one) => projectAttributes(groups.groupOf(one, base), query));
  return scimAnswer(listResponse({ ...found, items }));
};

const answerOf = ({ http, deps }: Asked, group: groups.StoredGroup, query: ScimQuery) =>
  scimAnswer(projectAttributes(groups.groupOf(group, baseOf(http, deps.config)), query), {
    version: group.version,
  });

export const listScimGroups = endpoint(
  {
    id: "listScimGroups",
    method: "get",
    path: "/Groups",
    summary: "List SCIM groups",
    ...bySystem,
    query: ScimQuery,
    ...answered(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await groups.listScimGroups(call.deps.db, call.actor, call.query), call.query),
);

export const searchScimGroups = endpoint(
  {
    id: "searchScimGroups",
    method: "post",
    path: "/Groups/.search",
    summary: "Search SCIM groups",
    ...bySystem,
    body: ScimSearch,
    ...answered(200, "A ListResponse"),
  },
  async (call) => pageOf(call, await groups.listScimGroups(call.deps.db, call.actor, call.body), call.body),
);

export const createScimGroup = endpoint(
  {
    id: "createScimGroup",
    method: "post",
    path: "/Groups",
    summary: "Create a SCIM group",
    ...bySystem,
    body: ScimBody,
    query: ScimQuery,
    ...answered(201, "The Group"),
    fails: [400, 409],
  },
  async ({ deps, actor, body, query, http }) => {
    const base = baseOf(http, deps.config);
    const made = await groups.createScimGroup(deps.db, actor, body);
    return scimAnswer(projectAttributes(groups.groupOf(made, base), query), {
      status: 201,
      version: made.version,
      location: locationOf("Group", made.id, base),
    });
  },
);

export const getScimGroup = endpoint(
  {
    id: "getScimGroup",
    method: "get",
    path: "/Groups/{id}",
    summary: "Read a SCIM group",
    ...bySystem,
    params: ScimPath,
    query: ScimQuery,
    ...answered(200, "The Group"),
    fails: [404],
  },
  async ({ deps, actor, params, query, http }) => {
    const found = await groups.getScimGroup(deps.db, actor, params.id, query);
    if (http.req.header("if-none-match") === tagOf(found.version))
      return scimAnswer(null, { status: 304, version: found.version });
    return answerOf({ deps, http }, found, query);
  },
);

export const replaceScimGroup = endpoint(
  {
    id: "replaceScimGroup",
    method: "put",
    path: "/Groups/{id}",
    summary: "Replace a SCIM group",
    ...bySystem,
    params: ScimPath,
    query: ScimQuery,
    body: ScimBody,
    ...answered(200, "The Group"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, query, body, http }) => {
    const written = await groups.replaceScimGroup(
      deps.db,
      actor,
      params.id,
      body,
      expectedVersions(http.req.header("if-match")),
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
    ...bySystem,
    params: ScimPath,
    body: ScimBody,
    ...answered(204, "Updated; read the group to get its members"),
    fails: [400, 404, 409, 412],
  },
  async ({ deps, actor, params, body, http }) => {
    const written = await groups.patchScimGroup(
      deps.db,
      actor,
      params.id,
      body,
      expectedVersions(http.req.header("if-match")),
    );
    return scimAnswer(null, { status: 204, version: written.version });
  },
);

export const deleteScimGroup = endpoint(
  {
    id: "deleteScimGroup",
    method: "delete",
    path: "/Groups/{id}",
    summary: "Delete a SCIM group",
    ...bySystem,
    params: ScimPath,
    ...answered(204, "Deleted, with the roles it granted"),
    fails: [404, 412],
  },
  async ({ deps, actor, params, http }) => {
    await groups.deleteScimGroup(deps.db, actor, params.id, expectedVersions(http.req.header("if-match")));
    return scimAnswer(null, { status: 204 });
  },
);
