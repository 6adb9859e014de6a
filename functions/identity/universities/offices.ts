import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List holders of offices",
    ...permittedTo("office:grant"),
    params: university,
    query: FewQuery,
    ...ok(listOf(Office), "The granted offices"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => offices.listOffices(deps.db, actor, params.university_id, query),
);

export const grantOffice = endpoint(
  {
    id: "grantOffice",
    method: "post",
    path: all,
    summary: "Grant an office to a person",
    description:
      "No role includes an office, not even an administrator's. Returns 403 if callers grant one to " +
      "themselves. `accommodation:write` grants extra time, `retention:write` sets retention periods, " +
      "`data-request:write` handles data requests.",
    ...permittedTo("office:grant"),
    params: university,
    body: OfficeGrant,
    ...created(Office, "The granted office"),
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
    summary: "Revoke an office",
    ...permittedTo("office:grant"),
    params: pathIds("university_id", "office_id"),
    ...noContent("Revoked; earlier actions by it stay"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => offices.revokeOffice(deps.db, actor, params),
);
