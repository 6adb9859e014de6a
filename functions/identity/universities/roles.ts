import { createdOrAccepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List the roles that are held in a university",
    description: "Who administers a department alone sees the roles that are bound to it.",
    ...may("role:read"),
    scope: "people:read",
    params: university,
    query: RoleQuery,
    ...ok(listOf(Role), "The roles that are asked for"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => roles.listRoles(deps.db, actor, params.university_id, query),
);

export const grantUniversityRole = endpoint(
  {
    id: "grantUniversityRole",
    method: "post",
    path: all,
    summary: "Grant a role, at most one's own",
    description:
      "To someone whom the caller may see by `user_id`, to anyone else by `email`. The university's own people hold it at " +
      "once: who has or had a role or a place there, whom it imported and who never signed in, and who has a verified " +
      "address in its domains. Anyone else is offered it, and accepting that grants it. A department_admin grants up to instructor, for the department; everything " +
      "else takes a university_admin.",
    ...may("role:grant", "role:grant-for-university", "role:grant-platform-admin"),
    scope: "people:write",
    params: university,
    body: RoleGrant,
    ...createdOrAccepted(GrantedRole, "The new role", {
      schema: Offered,
      description: "The offer of it, made or renewed, whose mail is on its way",
    }),
    fails: [400, 403, 404, 429],
    refuses: { 400: ["does_not_exist", "university_inactive"], 429: ["too_often"] },
  },
  ({ deps, actor, params, body }) => roles.grantRole(deps.db, actor, params.university_id, body, deps.config),
);

export const revokeUniversityRole = endpoint(
  {
    id: "revokeUniversityRole",
    method: "delete",
    path: "/{university_id}/roles/{role_id}",
    summary: "Revoke a role, at most one's own",
    description: "The last administrator of a university keeps their own role: 400.",
    ...may("role:grant", "role:grant-for-university", "role:grant-platform-admin"),
    scope: "people:write",
    params: pathIds("university_id", "role_id"),
    ...noContent("Revoked"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => roles.revokeRole(deps.db, actor, params.university_id, params.role_id),
);
