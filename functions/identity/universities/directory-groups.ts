import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as mapping from "../../../lib/integrations/scim/mapping.ts";
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
    summary: "List the groups that a university's directory provisioned",
    description: "By SCIM, at `/scim/v2`, with an API key that has the scope `scim`.",
    ...may("directory:manage"),
    params: pathIds("university_id"),
    query: DirectoryGroupQuery,
    ...ok(listOf(DirectoryGroup), "The groups, the oldest first"),
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
    summary: "Map a group of a university's directory to a role",
    description:
      "Its members hold the role from then on, for as long as they are members; to INSTRUCTOR at most. Whoever is in no " +
      "group that is mapped is a student.",
    ...may("directory:manage"),
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
    summary: "List what a university's directory asked last",
    description:
      "The last 100 requests by SCIM that were done, and the last 100 that were refused, of the last 30 days, a few seconds " +
      "after each: also those of a key that has expired or was revoked. Nothing of their bodies is kept.",
    ...may("directory:manage"),
    params: pathIds("university_id"),
    query: DirectoryRequestQuery,
    ...ok(listOf(DirectoryRequest), "The requests, the newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listRequests(deps.db, actor, params.university_id, query),
);
