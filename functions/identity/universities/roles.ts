import { createdOrAccepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as roles from "../../../lib/identity/universities/roles.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import { GrantedRole, Role, RoleGrant, RoleQuery } from "../../../schema/api/identity/roles.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/roles";
const university = pathIds("university_id");

export const listUniversityRoles = endpoint(
  {
    id: "listUniversityRoles",
    method: "get",
    path: all,
    summary: "List roles of a university",
    description: "A department_admin sees only the roles of their departments.",
    ...permittedTo("role:read"),
    scope: "people:read",
    params: university,
    query: RoleQuery,
    ...ok(listOf(Role), "The matching roles"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => roles.listRoles(deps.db, actor, params.university_id, query),
);

export const grantUniversityRole = endpoint(
  {
    id: "grantUniversityRole",
    method: "post",
    path: all,
    summary: "Grant a role",
    description:
      "Send `user_id` for people visible to the caller, `email` for others. The role must not exceed the " +
      "caller's own. People of the university hold it immediately. These are people with a past or " +
      "present role or seat there, imported people who never signed in, and people with an address in its " +
      "domains. Others receive an offer and hold the role on acceptance. A department_admin grants roles " +
      "up to instructor, for the department. All other grants require a university_admin.",
    ...permittedTo("role:grant", "role:grant-for-university", "role:grant-platform-admin"),
    scope: "people:write",
    params: university,
    body: RoleGrant,
    ...createdOrAccepted(GrantedRole, "The new role", {
      schema: Offered,
      description: "The offer, created or renewed; its mail is queued",
    }),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["does_not_exist", "university_inactive"], 429: ["too_often"] },
  },
  ({ deps, actor, params, body }) =>
    roles.grantOrOfferRole(deps.db, actor, params.university_id, body, deps.config),
);

export const revokeUniversityRole = endpoint(
  {
    id: "revokeUniversityRole",
    method: "delete",
    path: "/{university_id}/roles/{role_id}",
    summary: "Revoke a role",
    description:
      "The role must not exceed the caller's own. Returns 400 for the role of the university's last " +
      "administrator.",
    ...permittedTo("role:grant", "role:grant-for-university", "role:grant-platform-admin"),
    scope: "people:write",
    params: pathIds("university_id", "role_id"),
    ...noContent("Revoked"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => roles.revokeRole(deps.db, actor, params.university_id, params.role_id),
);
