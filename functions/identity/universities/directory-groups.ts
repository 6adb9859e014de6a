import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as mapping from "../../../lib/integrations/scim/directory-groups.ts";
import { listDirectoryRequests as listRequests } from "../../../lib/integrations/scim/requests.ts";
import {
  DirectoryGroup,
  DirectoryGroupMapping,
  DirectoryGroupQuery,
  DirectoryRequest,
  DirectoryRequestQuery,
} from "../../../schema/api/identity/directory.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/directory-groups";

export const listDirectoryGroups = endpoint(
  {
    id: "listDirectoryGroups",
    method: "get",
    path: all,
    summary: "List directory groups",
    description:
      "Groups that the university's directory provisions by SCIM at `/scim/v2`, with an API key of scope " +
      "`scim`.",
    ...permittedTo("directory:manage"),
    params: pathIds("university_id"),
    query: DirectoryGroupQuery,
    ...ok(listOf(DirectoryGroup), "Groups, oldest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    mapping.listDirectoryGroups(deps.db, actor, params.university_id, query),
);

export const mapDirectoryGroup = endpoint(
  {
    id: "mapDirectoryGroup",
    method: "patch",
    path: `${all}/{directory_group_id}`,
    summary: "Set a directory group's role",
    description:
      "Members of the group hold the role while they are members. The highest role is INSTRUCTOR. People " +
      "in no mapped group are students.",
    ...permittedTo("directory:manage"),
    params: pathIds("university_id", "directory_group_id"),
    body: DirectoryGroupMapping,
    ...ok(DirectoryGroup, "The group"),
    fails: [404],
  },
  ({ deps, actor, params, body }) => mapping.mapDirectoryGroup(deps.db, actor, params, body),
);

export const listDirectoryRequests = endpoint(
  {
    id: "listDirectoryRequests",
    method: "get",
    path: "/{university_id}/directory-requests",
    summary: "List recent directory requests",
    description:
      "The last 100 successful and the last 100 rejected SCIM requests of the last 30 days. They appear " +
      "after a few seconds, and include those of expired and revoked keys. Their bodies are not stored.",
    ...permittedTo("directory:manage"),
    params: pathIds("university_id"),
    query: DirectoryRequestQuery,
    ...ok(listOf(DirectoryRequest), "Requests, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listRequests(deps.db, actor, params.university_id, query),
);
