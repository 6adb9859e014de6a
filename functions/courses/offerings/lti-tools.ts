import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
import { startItemLaunch } from "../../../lib/integrations/lti-tools/launch.ts";
import {
  listNavigationTools,
  startNavigationLaunch,
} from "../../../lib/integrations/lti-tools/navigation.ts";
import { startSubmissionReviewLaunch } from "../../../lib/integrations/lti-tools/submission-review.ts";
import {
  LtiToolLaunch,
  NavigationTool,
  NavigationToolQuery,
} from "../../../schema/api/integrations/lti-tools.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

export const launchLtiTool = endpoint(
  {
    id: "launchLtiTool",
    method: "get",
    path: "/{offering_id}/external-tools/{external_tool_id}/launch",
    summary: "Launch an external tool",
    description:
      "For people with a seat, and staff. Open the address in the same browser, in a frame or window as `target` " +
      "says.",
    ...ownDataOrPermitted("roster:read"),
    params: pathIds("offering_id", "external_tool_id"),
    ...ok(LtiToolLaunch, "The launch"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, http }) => startItemLaunch(deps, actor, params, publicUrl(http, deps.config)),
);

export const listNavigationLtiTools = endpoint(
  {
    id: "listNavigationLtiTools",
    method: "get",
    path: "/{offering_id}/lti-tools",
    summary: "List tools in navigation",
    ...ownDataOrPermitted("discussion:read"),
    params: pathIds("offering_id"),
    query: NavigationToolQuery,
    ...ok(listOf(NavigationTool), "Tools, in the order of registration"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listNavigationTools(deps.db, actor, params.offering_id, query),
);

export const launchNavigationLtiTool = endpoint(
  {
    id: "launchNavigationLtiTool",
    method: "get",
    path: "/{offering_id}/lti-tools/{lti_tool_id}/launch",
    summary: "Launch a tool from navigation",
    description:
      "For people with a seat, and staff. Open the address in the same browser, in a frame or window as `target` " +
      "says.",
    ...ownDataOrPermitted("discussion:read", "roster:read"),
    params: pathIds("offering_id", "lti_tool_id"),
    ...ok(LtiToolLaunch, "The launch"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, http }) => startNavigationLaunch(deps, actor, params, publicUrl(http, deps.config)),
);

export const reviewLtiToolSubmission = endpoint(
  {
    id: "reviewLtiToolSubmission",
    method: "get",
    path: "/{offering_id}/external-tools/{external_tool_id}/reviews/{user_id}",
    summary: "Review work at a tool",
    description: "Open the address in the same browser, in a frame or window as `target` says.",
    ...permittedTo("submission:read"),
    params: pathIds("offering_id", "external_tool_id", "user_id"),
    ...ok(LtiToolLaunch, "The launch"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, http }) =>
    startSubmissionReviewLaunch(deps, actor, params, publicUrl(http, deps.config)),
);
