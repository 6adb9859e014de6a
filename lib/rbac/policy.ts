import { roles } from "../../schema/enums.ts";
import { forbidden } from "../errors.ts";

export type RoleName = (typeof roles)[number];

/** A role that someone holds: in one university, and perhaps for one department of it only. */
export type HeldRole = { role: RoleName; university_id: number; department_id: number | null };

/** Where something is: its university, and its department when it has one. */
export type Place = { university_id: number | null; department_id?: number | null | undefined };

type Rule = { least: RoleName; where: "anywhere" | "in its university" };

const anywhere = (least: RoleName): Rule => ({ least, where: "anywhere" });
const inItsUniversity = (least: RoleName): Rule => ({ least, where: "in its university" });

/**
 * Who may do what: the least role for each action, and whether that role must be held in the university
 * of the thing acted upon. A role bound to a department counts for that department's things only.
 * A platform_admin of any university may do everything everywhere.
 */
export const policy = {
  "university:create": anywhere("platform_admin"),
  "university:update": inItsUniversity("university_admin"),
  "university:delete": anywhere("platform_admin"),
  "department:create": inItsUniversity("university_admin"),
  "department:update": inItsUniversity("department_admin"),
  "department:delete": inItsUniversity("university_admin"),
  "role:read": inItsUniversity("university_admin"),
  "role:grant": inItsUniversity("university_admin"),
  "user:read": inItsUniversity("ta"),
  "user:read-all": anywhere("platform_admin"),
  "role:grant-platform-admin": anywhere("platform_admin"),

  "course:read-unpublished": inItsUniversity("ta"),
  "course:write": inItsUniversity("instructor"),
  "course:delete": inItsUniversity("department_admin"),
  "offering:write": inItsUniversity("instructor"),
  "offering:delete": inItsUniversity("department_admin"),
  "enrollment:manage": inItsUniversity("ta"),
  "module:write": inItsUniversity("instructor"),
  "content:write": inItsUniversity("instructor"),
  "asset:read": inItsUniversity("ta"),
  "asset:write": inItsUniversity("instructor"),
  "shared-asset:read": anywhere("ta"),
  "shared-asset:write": anywhere("instructor"),
  "module-template:read": anywhere("ta"),
  "module-template:write": anywhere("instructor"),

  "prompt:read": anywhere("instructor"),
  "prompt:write": anywhere("instructor"),
  "prompt:delete": anywhere("platform_admin"),
  "prompt:protected-label": anywhere("platform_admin"),
  "feature-request:manage": anywhere("instructor"),
  "credentials:manage": anywhere("university_admin"),
  "analytics:read": anywhere("platform_admin"),
  "reference-data:write": anywhere("platform_admin"),
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof policy;

/** The rank of a role, 0 for student; a higher rank may do all that a lower one may. */
export const rankOf = (role: RoleName): number => roles.indexOf(role);

/** Whether `held` reaches the role `least`. */
export const reaches = (held: RoleName, least: RoleName): boolean => rankOf(held) >= rankOf(least);

/** Whether someone who holds these roles may do `action`, to a thing at `place` where the rule asks for one. */
export function can(held: readonly HeldRole[], action: Action, place?: Place): boolean {
  const rule: Rule = policy[action];
  return held.some(
    (role) =>
      role.role === "platform_admin" ||
      (reaches(role.role, rule.least) && (rule.where === "anywhere" || countsAt(role, place))),
  );
}

/** Throws 403 `Not enough permissions` unless the actor may do `action` at `place`. */
export function ensure(actor: { roles: readonly HeldRole[] }, action: Action, place?: Place): void {
  if (!can(actor.roles, action, place)) throw forbidden();
}

function countsAt(role: HeldRole, place: Place | undefined): boolean {
  if (!place || role.university_id !== place.university_id) return false;
  return role.department_id === null || role.department_id === place.department_id;
}
