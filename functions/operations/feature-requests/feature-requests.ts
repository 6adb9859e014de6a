import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
import * as featureRequests from "../../../lib/operations/feature-requests/feature-requests.ts";
import {
  AllFeatureRequestsQuery,
  FeatureRequest,
  FeatureRequestCreate,
  FeatureRequestOfUserPage,
  FeatureRequestPage,
  FeatureRequestQuery,
  FeatureRequestUpdate,
} from "../../../schema/api/operations/feature-requests.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const createFeatureRequest = endpoint(
  {
    id: "createFeatureRequest",
    method: "post",
    path: "/",
    summary: "Create a feature request",
    ...signedInWithFullReach,
    body: FeatureRequestCreate,
    ...created(FeatureRequest, "The new request"),
  },
  ({ deps, actor, body }) => featureRequests.createFeatureRequest(deps.db, actor, body),
);

export const listMyFeatureRequests = endpoint(
  {
    id: "listMyFeatureRequests",
    method: "get",
    path: "/",
    summary: "List the caller's feature requests",
    ...signedInWithFullReach,
    query: FeatureRequestQuery,
    ...ok(FeatureRequestPage, "Feature requests, newest first"),
  },
  ({ deps, actor, query }) => featureRequests.listMyFeatureRequests(deps.db, actor, query),
);

export const listFeatureRequests = endpoint(
  {
    id: "listFeatureRequests",
    method: "get",
    path: "/all",
    summary: "List all feature requests",
    description: "Authors not visible to the caller are null.",
    ...permittedTo("feature-request:manage"),
    query: AllFeatureRequestsQuery,
    ...ok(FeatureRequestOfUserPage, "Feature requests, newest first"),
  },
  ({ deps, actor, query }) => featureRequests.listAllFeatureRequests(deps.db, actor, query),
);

export const updateFeatureRequest = endpoint(
  {
    id: "updateFeatureRequest",
    method: "patch",
    path: "/{feature_request_id}",
    summary: "Update a feature request",
    description: "Sets its status or notes. Any status may follow any other.",
    ...permittedTo("feature-request:manage"),
    params: pathIds("feature_request_id"),
    body: FeatureRequestUpdate,
    ...ok(FeatureRequest, "The updated request"),
    fails: [404],
  },
  ({ deps, params, body }) => featureRequests.updateFeatureRequest(deps.db, params.feature_request_id, body),
);
