import type { Contract } from "../../../lib/http/endpoint.ts";
import { type Action, policy, type Rule } from "../../../lib/identity/rbac/policy.ts";

const heldWhere: Record<Rule["where"], string> = {
  anywhere: "",
  "in its university": " in its university",
  "for its university": " for its university",
  "for its department": " for its university or department",
};

/** The permission that the operation requires, in words; undefined if any signed-in caller may use it. */
export function describePermission({ access }: Contract): string | undefined {
  const [action] = access.actions;
  if (!action) return undefined;
  switch (access.open) {
    case "published content":
      return `What is not published takes ${roleFor(action)}.`;
    case "own data":
      return `What is not one's own takes ${roleFor(action)}.`;
    default:
      return `Takes ${roleFor(action)}.`;
  }
}

function roleFor(action: Action): string {
  const { least, where } = policy[action];
  return `the role \`${least}\` or above${heldWhere[where]}`;
}
