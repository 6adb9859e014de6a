import type { Contract, Group } from "../../../lib/http/endpoint.ts";
import { documentPath } from "../../../lib/http/paths.ts";
import { type Action, can, type HeldRole, type RoleName, type Scope } from "../../../lib/rbac/policy.ts";
import { type ApiKeyScope, roles } from "../../../schema/enums.ts";

/** Where a role is held, seen from the thing that is acted upon. */
const tenants = {
  "Own university": { university_id: 1, department_id: null },
  "Another university": { university_id: 2, department_id: null },
  "Own department": { university_id: 1, department_id: 11 },
  "Another department": { university_id: 1, department_id: 12 },
} satisfies Record<string, Omit<HeldRole, "role">>;

const thing: Scope = { university_id: 1, department_id: 11 };

export type Tenant = keyof typeof tenants;

export const tenantNames = Object.keys(tenants) as Tenant[];

/** One way into an operation: what it is open to all for, or an action with the least role in each tenant. */
export type Permission = {
  operation: string;
  action: Action | undefined;
  open: string;
  /** The scope with which a key for machines may, as the administrator who made it. */
  scope: ApiKeyScope | undefined;
  least: Record<Tenant, RoleName | undefined>;
};

/** Who may call these operations, from their contracts and the policy: one entry for each action, at least one. */
export function permissionsOf(group: Group, prefix: string): Permission[] {
  return group.endpoints.flatMap(({ contract }) => {
    const operation = `${contract.method.toUpperCase()} ${documentPath(prefix, group, contract)}`;
    const [first, ...others] = contract.access.actions;
    return [
      { operation, action: first, open: openTo(contract), scope: contract.scope, least: leastRoles(first) },
      ...others.map((action) => ({
        operation,
        action,
        open: "",
        scope: undefined,
        least: leastRoles(action),
      })),
    ];
  });
}

/** Whom the operation serves whatever their roles, and with what. */
function openTo({ access: { kind, open } }: Contract): string {
  if (open === "nothing") return "";
  return kind === "anyone" || kind === "maybe signed in" ? `anyone: ${open}` : `the signed-in: ${open}`;
}

const leastRoles = (action: Action | undefined): Permission["least"] =>
  Object.fromEntries(
    tenantNames.map((tenant) => [tenant, action && leastRole(action, tenants[tenant])]),
  ) as Permission["least"];

const leastRole = (action: Action, held: Omit<HeldRole, "role">): RoleName | undefined =>
  roles.find((role) => can([{ ...held, role }], action, thing));
