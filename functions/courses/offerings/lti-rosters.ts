import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as rosters from "../../../lib/integrations/lti/rosters.ts";
import { LtiRoster, LtiRosterRequest } from "../../../schema/api/integrations/lti-rosters.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";
import { listQuery } from "../../../schema/api/platform/search-and-sort.ts";

const path = "/{offering_id}/lti-rosters";

export const listLtiRosters = endpoint(
  {
    id: "listLtiRosters",
    method: "get",
    path,
    summary: "List the courses of LMSs that are bound to an offering, with what their rosters came to",
    ...may("enrollment:manage"),
    params: pathIds("offering_id"),
    query: listQuery({}),
    ...ok(listOf(LtiRoster), "By the order in which they were bound"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => rosters.listRosters(deps.db, actor, params.offering_id, query),
);

export const readLtiRoster = endpoint(
  {
    id: "readLtiRoster",
    method: "post",
    path: `${path}/{lti_context_id}`,
    summary: "Have the roster of a course of an LMS read",
    description:
      "Each is read every night too. It enrolls as staff do who override, and drops those alone to whom the LMS gave their seat; whom staff have dropped it does not enroll again. One that cannot be read to its last page drops nobody, and one that would drop over a third waits until it is CONFIRMED.",
    ...may("enrollment:manage"),
    params: pathIds("offering_id", "lti_context_id"),
    body: LtiRosterRequest,
    ...noContent("It is read within a minute"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => rosters.askForRoster(deps.db, actor, params, body, deps.now()),
);
