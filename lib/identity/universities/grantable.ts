import type { RoleGrant } from "../../../schema/api/identity/roles.ts";
import { forbidden } from "../../errors.ts";
import type { Actor } from "../auth/actor.ts";
import type { PolicyAction } from "../rbac/policy.ts";

/** Roles that a department_admin grants and revokes. All others are the university's. */
export const rolesGrantedByDepartmentAdmins: readonly RoleGrant["role"][] = ["STUDENT", "TA", "INSTRUCTOR"];

export function roleGrantAction(role: RoleGrant["role"], departmentId: number | null): PolicyAction {
  if (role === "PLATFORM_ADMIN") return "role:grant-platform-admin";
  return departmentId && rolesGrantedByDepartmentAdmins.includes(role)
    ? "role:grant"
    : "role:grant-for-university";
}

/** Throws 403 if an API key would grant a role above instructor. */
export function ensureApiKeyMayGrantRole({ key }: Pick<Actor, "key">, role: RoleGrant["role"]): void {
  if (key && !rolesGrantedByDepartmentAdmins.includes(role)) throw forbidden("role_above_api_key");
}
