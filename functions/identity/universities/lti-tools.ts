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

const all = "/{university_id}/lti-tools";
const single = `${all}/{lti_tool_id}`;
const university = pathIds("university_id");
const params = pathIds("university_id", "lti_tool_id");

export const listLtiTools = endpoint(
  {
    id: "listLtiTools",
    method: "get",
    path: all,
    summary: "List LTI tools of a university",
    ...permittedTo("lti-tool:manage"),
    params: university,
    query: LtiToolQuery,
    ...ok(listOf(LtiTool), "Tools, in the order of registration"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => tools.listTools(deps.db, actor, params.university_id, query),
);

export const createLtiTool = endpoint(
  {
    id: "createLtiTool",
    method: "post",
    path: all,
    summary: "Register an LTI 1.3 tool",
    description:
      "Registers a tool that runs in the university's courses. Enter at the tool: the issuer, which is the " +
      "service's address, `client_id` and `deployment_ids` of the response, `/lti/tools/authorize` " +
      "(authorization), `/lti/tools/token` (access tokens) and `/lti/jwks` (public keys), outside the API prefix.",
    ...permittedTo("lti-tool:manage"),
    params: university,
    body: LtiToolCreate,
    ...created(LtiTool, "The registered tool"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    tools.createTool(deps.db, deps.config, actor, params.university_id, body),
);

export const updateLtiTool = endpoint(
  {
    id: "updateLtiTool",
    method: "put",
    path: single,
    summary: "Update an LTI tool",
    ...permittedTo("lti-tool:manage"),
    params,
    body: LtiToolUpdate,
    ...ok(LtiTool, "The updated tool"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => tools.updateTool(deps.db, deps.config, actor, params, body),
);

export const removeLtiTool = endpoint(
  {
    id: "removeLtiTool",
    method: "delete",
    path: single,
    summary: "Remove an LTI tool",
    ...permittedTo("lti-tool:manage"),
    params,
    ...noContent("Removed; its items and scores stay, and it can no longer be opened"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => tools.removeTool(deps.db, actor, params),
);

export const openLtiToolRegistration = endpoint(
  {
    id: "openLtiToolRegistration",
    method: "post",
    path: "/{university_id}/lti-tool-registrations",
    summary: "Create a tool's registration link",
    description:
      "For Dynamic Registration: open the returned address in a browser. It registers one tool within one hour, in " +
      "the caller's name.",
    ...permittedTo("lti-tool:manage"),
    params: university,
    body: LtiToolRegistrationCreate,
    ...created(LtiToolRegistration, "The link"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, http }) =>
    createToolRegistrationUrl(
      deps,
      actor,
      params.university_id,
      body.registration_url,
      publicUrl(http, deps.config),
    ),
);
