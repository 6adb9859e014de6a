import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List LMS rosters of an offering",
    ...permittedTo("enrollment:manage"),
    params: pathIds("offering_id"),
    query: listQuery({}),
    ...ok(listOf(LtiRoster), "Bound LMS courses with roster results, in the order of binding"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => rosters.listRosters(deps.db, actor, params.offering_id, query),
);

export const readLtiRoster = endpoint(
  {
    id: "readLtiRoster",
    method: "post",
    path: `${path}/{lti_context_id}`,
    summary: "Synchronize an LMS roster",
    description:
      "Rosters are also read every night. Enrolls people like staff with `override`, and drops only " +
      "people with a seat from the LMS. People dropped by staff are not enrolled again. If the " +
      "roster cannot be read completely, no one is dropped. A roster that would drop more than a " +
      "third waits for a request with `mode` CONFIRMED.",
    ...permittedTo("enrollment:manage"),
    params: pathIds("offering_id", "lti_context_id"),
    body: LtiRosterRequest,
    ...noContent("The roster is read within a minute"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => rosters.requestRosterSync(deps.db, actor, params, body, deps.now()),
);
