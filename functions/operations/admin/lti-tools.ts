import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { createToolRegistrationUrl } from "../../../lib/integrations/lti-tools/registration.ts";
import * as tools from "../../../lib/integrations/lti-tools/tools.ts";
import {
  LtiTool,
  LtiToolCreate,
  LtiToolQuery,
  LtiToolRegistration,
  LtiToolRegistrationCreate,
  LtiToolUpdate,
} from "../../../schema/api/integrations/lti-tools.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

/** Tools of the platform, for all universities. */

const single = "/lti-tools/{platform_lti_tool_id}";
const params = pathIds("platform_lti_tool_id");
const platform = null;

export const listPlatformLtiTools = endpoint(
  {
    id: "listPlatformLtiTools",
    method: "get",
    path: "/lti-tools",
    summary: "List tools of the platform",
    ...permittedTo("platform-lti-tool:manage"),
    query: LtiToolQuery,
    ...ok(listOf(LtiTool), "Tools, in the order of registration"),
    fails: [403],
  },
  ({ deps, actor, query }) => tools.listTools(deps.db, actor, platform, query),
);

export const createPlatformLtiTool = endpoint(
  {
    id: "createPlatformLtiTool",
    method: "post",
    path: "/lti-tools",
    summary: "Register a tool of the platform",
    description:
      "As for a university's tool, with `course_ids` null. Enter at the tool a deployment id for each university: " +
      "`university-` and its id. The tool knows a person by another pseudonym in each university.",
    ...permittedTo("platform-lti-tool:manage"),
    body: LtiToolCreate,
    ...created(LtiTool, "The registered tool"),
    fails: [403],
  },
  ({ deps, actor, body }) => tools.createTool(deps.db, deps.config, actor, platform, body),
);

export const updatePlatformLtiTool = endpoint(
  {
    id: "updatePlatformLtiTool",
    method: "put",
    path: single,
    summary: "Update a tool of the platform",
    ...permittedTo("platform-lti-tool:manage"),
    params,
    body: LtiToolUpdate,
    ...ok(LtiTool, "The updated tool"),
    fails: [403, 404],
  },
  ({ deps, actor, params: { platform_lti_tool_id: lti_tool_id }, body }) =>
    tools.updateTool(deps.db, deps.config, actor, { university_id: platform, lti_tool_id }, body),
);

export const removePlatformLtiTool = endpoint(
  {
    id: "removePlatformLtiTool",
    method: "delete",
    path: single,
    summary: "Remove a tool of the platform",
    ...permittedTo("platform-lti-tool:manage"),
    params,
    ...noContent("Removed; its items and scores stay, and it can no longer be opened"),
    fails: [403, 404],
  },
  ({ deps, actor, params: { platform_lti_tool_id: lti_tool_id } }) =>
    tools.removeTool(deps.db, actor, { university_id: platform, lti_tool_id }),
);

export const openPlatformLtiToolRegistration = endpoint(
  {
    id: "openPlatformLtiToolRegistration",
    method: "post",
    path: "/lti-tool-registrations",
    summary: "Create a platform tool's registration link",
    description:
      "As for a university's tool. The registration has no deployment id: each university has its own, `university-` " +
      "and its id.",
    ...permittedTo("platform-lti-tool:manage"),
    body: LtiToolRegistrationCreate,
    ...created(LtiToolRegistration, "The link"),
    fails: [403],
  },
  ({ deps, actor, body, http }) =>
    createToolRegistrationUrl(deps, actor, platform, body.registration_url, publicUrl(http, deps.config)),
);
