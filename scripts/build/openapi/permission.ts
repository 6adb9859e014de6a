import type { Contract } from "../../../lib/http/endpoint.ts";
import {
  type PolicyAction,
  type PolicyRule,
  policy,
  type RoleName,
} from "../../../lib/identity/rbac/policy.ts";

const heldWhere: Record<PolicyRule["where"], string> = {
  anywhere: "",
  "in its university": " in the university",
  "for its university": " for the whole university",
  "for its department": " for the university or department",
};

/** Roles that can be limited to a course or an offering. */
const ofCourses: readonly RoleName[] = ["ta", "instructor"];

/** The permission that the operation requires, in words; undefined if any signed-in caller may use it. */
export function describePermission({ access }: Contract): string | undefined {
  const [action] = access.actions;
  if (!action) return undefined;
  return `${beginnings[access.open]} ${roleFor(action)}.${conflictOf(action)}`;
}

const beginnings: Record<Contract["access"]["open"], string> = {
  "published data": "For unpublished data, requires",
  "own data": "For data that is neither the caller's own nor shared with them, requires",
  everything: "Requires",
  nothing: "Requires",
};

function roleFor(action: PolicyAction): string {
  const { least, where } = policy[action];
  if (least === "platform_admin") return "the role `platform_admin`";
  const byCourse = where === "for its department" && ofCourses.includes(least);
  return `the role \`${least}\` or above${byCourse ? " for the university, department or course" : heldWhere[where]}`;
}

/** The conflict of interest that excludes staff. */
function conflictOf(action: PolicyAction): string {
  const { apartFrom }: PolicyRule = policy[action];
  return apartFrom ? ` Excludes staff below \`department_admin\` who are learners of the ${apartFrom}.` : "";
}
