import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { startDeepLinkingLaunch } from "../../../lib/integrations/lti-tools/launch.ts";
import { listToolsOfCourse } from "../../../lib/integrations/lti-tools/tools.ts";
import {
  CourseLtiTool,
  CourseLtiToolQuery,
  LtiToolLaunch,
} from "../../../schema/api/integrations/lti-tools.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

export const listCourseLtiTools = endpoint(
  {
    id: "listCourseLtiTools",
    method: "get",
    path: "/{course_id}/lti-tools",
    summary: "List LTI tools of a course",
    ...permittedTo("content:write"),
    params: pathIds("course_id"),
    query: CourseLtiToolQuery,
    ...ok(listOf(CourseLtiTool), "Tools, in the order of registration"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listToolsOfCourse(deps.db, actor, params.course_id, query),
);

export const chooseLtiToolContent = endpoint(
  {
    id: "chooseLtiToolContent",
    method: "get",
    path: "/{course_id}/lti-tools/{lti_tool_id}/deep-linking",
    summary: "Choose content at an LTI tool",
    description:
      "Returns an address for a frame. The tool returns its content to that frame, whose page posts the items " +
      'as `{"subject": "lti.links", "items": […]}` to the window above. Create each as an `external_tool` item.',
    ...permittedTo("content:write"),
    params: pathIds("course_id", "lti_tool_id"),
    ...ok(LtiToolLaunch, "The launch"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, http }) =>
    startDeepLinkingLaunch(deps, actor, params, publicUrl(http, deps.config)),
);
