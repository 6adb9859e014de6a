import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { ownDataOrPermitted } from "../../../lib/identity/auth/guards.ts";
import { startItemLaunch } from "../../../lib/integrations/lti-tools/launch.ts";
import { LtiToolLaunch } from "../../../schema/api/integrations/lti-tools.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

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
