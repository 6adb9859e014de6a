import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as offices from "../../../lib/identity/universities/offices.ts";
import { FewQuery, Office, OfficeGrant } from "../../../schema/api/courses/accommodations.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/offices";
const university = pathIds("university_id");

export const listOffices = endpoint(
  {
    id: "listOffices",
    method: "get",
    path: all,
    summary: "List who holds an office in a university",
    ...may("office:grant"),
    params: university,
    query: FewQuery,
    ...ok(listOf(Office), "Each right that was given"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => offices.listOffices(deps.db, actor, params.university_id, query),
);

export const grantOffice = endpoint(
  {
    id: "grantOffice",
    method: "post",
    path: all,
    summary: "Give one of a university's people a right for an office",
    description:
      "Beside any role, and to nobody by a role: who administers the university has it not by that. Nobody gives " +
      "themselves one: 403. `accommodation:write` gives people more time, `retention:write` says how long things are kept, " +
      "`data-request:write` handles what people ask of their data.",
    ...may("office:grant"),
    params: university,
    body: OfficeGrant,
    ...created(Office, "The right"),
    fails: [400, 403, 404],
    refuses: { 400: ["university_inactive"] },
  },
  ({ deps, actor, params, body }) => offices.grantOffice(deps.db, actor, params.university_id, body),
);

export const revokeOffice = endpoint(
  {
    id: "revokeOffice",
    method: "delete",
    path: `${all}/{office_id}`,
    summary: "Take a right for an office back",
    ...may("office:grant"),
    params: pathIds("university_id", "office_id"),
    ...noContent("It is taken back; what was done by it stays"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => offices.revokeOffice(deps.db, actor, params),
);
