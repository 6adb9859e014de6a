import { may, signedIn } from "../../lib/auth/guards.ts";
import {
  createFeatureRequest,
  listAllFeatureRequests,
  listMyFeatureRequests,
  updateFeatureRequest,
} from "../../lib/feature-requests/feature-requests.ts";
import { created, endpoint, ok } from "../../lib/http/endpoint.ts";
import {
  AllFeatureRequestsQuery,
  FeatureRequest,
  FeatureRequestCreate,
  FeatureRequestOfUserPage,
  FeatureRequestPage,
  FeatureRequestQuery,
  FeatureRequestUpdate,
} from "../../schema/api/feature-requests.ts";
import { pathIds } from "../../schema/api/fields.ts";

export const create = endpoint(
  {
    method: "post",
    path: "/",
    summary: "Ask for a feature",
    ...signedIn,
    body: FeatureRequestCreate,
    ...created(FeatureRequest, "The new request"),
  },
  ({ deps, actor, body }) => createFeatureRequest(deps.db, actor, body),
);

export const listMine = endpoint(
  {
    method: "get",
    path: "/",
    summary: "List one's own feature requests",
    ...signedIn,
    query: FeatureRequestQuery,
    ...ok(FeatureRequestPage, "Newest first"),
  },
  ({ deps, actor, query }) => listMyFeatureRequests(deps.db, actor, query),
);

export const listAll = endpoint(
  {
    method: "get",
    path: "/all",
    summary: "List everyone's feature requests",
    ...may("feature-request:manage"),
    query: AllFeatureRequestsQuery,
    ...ok(FeatureRequestOfUserPage, "Newest first"),
  },
  ({ deps, query }) => listAllFeatureRequests(deps.db, query),
);

export const update = endpoint(
  {
    method: "patch",
    path: "/{feature_request_id}",
    summary: "Set the status or the notes of a feature request",
    description: "Any status may follow any other.",
    ...may("feature-request:manage"),
    params: pathIds("feature_request_id"),
    body: FeatureRequestUpdate,
    ...ok(FeatureRequest, "The changed request"),
    fails: [404],
  },
  ({ deps, params, body }) => updateFeatureRequest(deps.db, params.feature_request_id, body),
);
