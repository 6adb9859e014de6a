import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as contexts from "../../../lib/integrations/lti/contexts.ts";
import { LtiContext, LtiContextQuery } from "../../../schema/api/integrations/lti.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{course_id}/offerings/{offering_id}/lti-contexts";

export const listLtiContexts = endpoint(
  {
    id: "listLtiContexts",
    method: "get",
    path: all,
    summary: "List LMS courses of an offering",
    ...permittedTo("offering:write"),
    params: pathIds("course_id", "offering_id"),
    query: LtiContextQuery,
    ...ok(listOf(LtiContext), "Bound LMS courses, oldest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => contexts.listContexts(deps.db, actor, params, query),
);

export const unbindLtiContext = endpoint(
  {
    id: "unbindLtiContext",
    method: "delete",
    path: `${all}/{lti_context_id}`,
    summary: "Unbind an LMS course",
    description: "Its people keep their seats and results, and launches and rosters no longer withdraw them.",
    ...permittedTo("offering:write"),
    params: pathIds("course_id", "offering_id", "lti_context_id"),
    ...noContent("Unbound; launches grant nothing until it is bound again"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => contexts.unbindContext(deps.db, actor, params),
);
