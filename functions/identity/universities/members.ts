import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { updateMember } from "../../../lib/identity/universities/members.ts";
import { Member, MemberState } from "../../../schema/api/identity/members.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const setUniversityMemberActive = endpoint(
  {
    id: "setUniversityMemberActive",
    method: "patch",
    path: "/{university_id}/members/{user_id}",
    summary: "Update, suspend or restore a member",
    description:
      "Roles and seats of suspended members stay but have no effect. Their sign-ins by the university's " +
      "provider end. A corrected name applies in this university: rosters, gradebooks and certificates " +
      "show it. Imports do not change it until it is released. The account and other universities are not " +
      "affected.",
    ...permittedTo("user:deactivate"),
    scope: "people:write",
    params: pathIds("university_id", "user_id"),
    body: MemberState,
    ...ok(Member, "The member of the university"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateMember(deps.db, actor, params, body),
);
