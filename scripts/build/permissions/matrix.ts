import type { Contract, EndpointGroup } from "../../../lib/http/endpoint.ts";
import { openApiPath } from "../../../lib/http/paths.ts";
import {
  can,
  type EntityScopeIds,
  type HeldRole,
  type PolicyAction,
  type RoleName,
} from "../../../lib/identity/rbac/policy.ts";
import { type ApiKeyScope, roles } from "../../../schema/enums.ts";

/** Place of a role, relative to the resource. */
const tenants = {
  "Own university": { university_id: 1, department_id: null },
  "Another university": { university_id: 2, department_id: null },
  "Own department": { university_id: 1, department_id: 11 },
  "Another department": { university_id: 1, department_id: 12 },
} satisfies Record<string, Omit<HeldRole, "role">>;

const thing: EntityScopeIds = { university_id: 1, department_id: 11 };

export type Tenant = keyof typeof tenants;

export const tenantNames = Object.keys(tenants) as Tenant[];

/** A way into an operation: open access with its reason, or an action with the minimum role per tenant. */
export type Permission = {
  operation: string;
  action: PolicyAction | undefined;
  open: string;
  /** The API key scope that allows it, with the rights of the administrator who created the key. */
  scope: ApiKeyScope | undefined;
  least: Record<Tenant, RoleName | undefined>;
};

/** Permissions of operations, from contracts and policy: at least one entry each, one per action. */
export function permissionsOf(group: EndpointGroup, prefix: string): Permission[] {
  return group.endpoints.flatMap(({ contract }) => {
    const operation = `${contract.method.toUpperCase()} ${openApiPath(prefix, group, contract)}`;
    const [first, ...others] = contract.access.actions;
    return [
      {
        operation,
        action: first,
        open: openTo(contract),
        scope: contract.scope,
        least: lowestPermittedRoles(first),
      },
      ...others.map((action) => ({
        operation,
        action,
        open: "",
        scope: undefined,
        least: lowestPermittedRoles(action),
      })),
    ];
  });
}

/** Callers that the operation serves independent of roles, and with what. */
function openTo({ access: { kind, open } }: Contract): string {
  if (open === "nothing") return "";
  return kind === "anyone" || kind === "maybe signed in" ? `anyone: ${open}` : `signed in: ${open}`;
}

const lowestPermittedRoles = (action: PolicyAction | undefined): Permission["least"] =>
  Object.fromEntries(
    tenantNames.map((tenant) => [tenant, action && lowestPermittedRole(action, tenants[tenant])]),
  ) as Permission["least"];

const lowestPermittedRole = (action: PolicyAction, held: Omit<HeldRole, "role">): RoleName | undefined =>
  roles.find((role) => can([{ ...held, role }], action, thing));
