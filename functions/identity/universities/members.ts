import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { updateMember } from "../../../lib/identity/universities/members.ts";
import { Member, MemberState } from "../../../schema/api/identity/members.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const setUniversityMemberActive = endpoint(
  {
    id: "setUniversityMemberActive",
    method: "patch",
    path: "/{university_id}/members/{user_id}",
    summary: "Correct what a university says of one of its people, suspend them, or restore them",
    description:
      "Who is suspended keeps roles and places there, and none of them counts; their sign-ins by the university's provider " +
      "end. A name that is corrected here is the university's own: rosters, gradebooks and certificates show it, and no " +
      "import changes it until it is released. Their account, and what they have elsewhere, is not touched.",
    ...may("user:deactivate"),
    scope: "people:write",
    params: pathIds("university_id", "user_id"),
    body: MemberState,
    ...ok(Member, "The person, as the university has them"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateMember(deps.db, actor, params, body),
);
