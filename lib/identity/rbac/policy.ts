import * as z from "zod";
import { roles } from "../../../schema/enums.ts";
import { forbidden } from "../../errors.ts";

export type RoleName = (typeof roles)[number];

/**
 * Limited to a department, a course (an offering's instructor), or an offering (staff by LTI launch), or
 * unlimited.
 */
export const HeldRole = z.object({
  role: z.enum(roles),
  university_id: z.int(),
  department_id: z.int().nullable(),
  course_id: z.int().nullable().optional(),
  offering_id: z.int().nullable().optional(),
});

export type HeldRole = z.output<typeof HeldRole>;

/** An entity's university, department and course decide the roles that count. */
export type EntityScopeIds = {
  university_id: number | null;
  department_id?: number | null | undefined;
  course_id?: number | null | undefined;
  offering_id?: number | null | undefined;
};

type Where = "anywhere" | "in its university" | "for its university" | "for its department";

export type PolicyRule = { least: RoleName; where: Where; apartFrom?: "offering" | "course" };

const anywhere = (least: RoleName): PolicyRule => ({ least, where: "anywhere" });
/** In the entity's university, at least for a department. Teaching a course is not enough. */
const inItsUniversity = (least: RoleName): PolicyRule => ({ least, where: "in its university" });
const forItsUniversity = (least: RoleName): PolicyRule => ({ least, where: "for its university" });
const forItsDepartment = (least: RoleName): PolicyRule => ({ least, where: "for its department" });

/**
 * Conflict of interest: excludes a ta or instructor from offerings they take, or from their courses (view
 * `learners`). Does not apply from department_admin up.
 */
const inOfferingsOfOthers = (rule: PolicyRule) => ({ ...rule, apartFrom: "offering" }) as const;
const inCoursesOfOthers = (rule: PolicyRule) => ({ ...rule, apartFrom: "course" }) as const;

/**
 * Each action's least role and where it must be held. A platform_admin of any university may do everything.
 */
export const policy = {
  "university:create": anywhere("platform_admin"),
  "university:update": forItsUniversity("university_admin"),
  "university:delete": anywhere("platform_admin"),
  "tutor-budget:read": forItsUniversity("university_admin"),
  "tutor-budget:write": forItsUniversity("university_admin"),
  "tutor-budget:grant": anywhere("platform_admin"),
  "department:create": forItsUniversity("university_admin"),
  "department:update": forItsDepartment("department_admin"),
  "department:delete": forItsUniversity("university_admin"),
  "term:write": forItsUniversity("university_admin"),
  "role:read": inItsUniversity("department_admin"),
  "role:grant": forItsDepartment("department_admin"),
  "role:grant-for-university": forItsUniversity("university_admin"),
  // Invitations that the caller may create. Each role and offering needs its own right.
  "invitation:read": inItsUniversity("ta"),
  // Rights beyond roles. Administrators grant them but do not hold them automatically.
  "office:grant": forItsUniversity("university_admin"),
  "identity-provider:manage": forItsUniversity("university_admin"),
  "identity-provider:grant-domains": anywhere("platform_admin"),
  "lti-platform:manage": forItsUniversity("university_admin"),
  "lti-tool:manage": forItsUniversity("university_admin"),
  "platform-lti-tool:manage": anywhere("platform_admin"),
  // An LMS's email addresses are trusted.
  "lti-platform:trust-email": anywhere("platform_admin"),
  // Domains whose addresses belong to the university's own people.
  "university-domain:read": forItsUniversity("university_admin"),
  "university-domain:grant": anywhere("platform_admin"),
  "import:manage": forItsUniversity("university_admin"),
  "user:read": inItsUniversity("ta"),
  "user:read-all": anywhere("platform_admin"),
  "user:deactivate": forItsUniversity("university_admin"),
  "user:deactivate-anyone": anywhere("platform_admin"),
  "audit:read": anywhere("university_admin"),
  "audit:read-all": anywhere("platform_admin"),
  "role:grant-platform-admin": anywhere("platform_admin"),

  "course:read-unpublished": forItsDepartment("ta"),
  "course:write": forItsDepartment("instructor"),
  "course:delete": forItsDepartment("department_admin"),
  "offering:create": forItsDepartment("instructor"),
  "offering:write": inOfferingsOfOthers(forItsDepartment("instructor")),
  "offering:delete": forItsDepartment("department_admin"),
  "enrollment:manage": inOfferingsOfOthers(forItsDepartment("ta")),
  "roster:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "exemption:manage": forItsDepartment("ta"),
  "module:write": forItsDepartment("instructor"),
  "content:write": forItsDepartment("instructor"),
  // Correct answers, hidden tests and grading keys, and the tutor's assessment of each answer.
  "key:read": inCoursesOfOthers(forItsDepartment("ta")),
  "tutor-answer:read": inCoursesOfOthers(forItsDepartment("ta")),
  // Teacher notes for the tutor: solutions, errors, forbidden statements.
  "tutor-notes:read": inCoursesOfOthers(forItsDepartment("ta")),
  "tutor-notes:write": inCoursesOfOthers(forItsDepartment("instructor")),
  "discussion:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "discussion:moderate": inOfferingsOfOthers(forItsDepartment("ta")),
  "announcement:write": inOfferingsOfOthers(forItsDepartment("ta")),
  "university-announcement:write": forItsUniversity("university_admin"),
  "question:read": inCoursesOfOthers(forItsDepartment("ta")),
  "question:write": inCoursesOfOthers(forItsDepartment("instructor")),
  "attempt:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "attempt:grade": inOfferingsOfOthers(forItsDepartment("ta")),
  "certificate:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "certificate:issue": inOfferingsOfOthers(forItsDepartment("instructor")),
  "submission:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "submission:grade": inOfferingsOfOthers(forItsDepartment("ta")),
  "auto-grader:read": inCoursesOfOthers(forItsDepartment("instructor")),
  "auto-grader:renew": inCoursesOfOthers(forItsDepartment("instructor")),
  "grade:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "grade:write": inOfferingsOfOthers(forItsDepartment("ta")),
  // An offering's grading scheme, release of grades and finalization.
  "grade:finalize": inOfferingsOfOthers(forItsDepartment("instructor")),
  "asset:read": inItsUniversity("ta"),
  "asset:write": inItsUniversity("instructor"),
  "module-template:read": inItsUniversity("ta"),
  "module-template:write": inItsUniversity("instructor"),
  // Assets and module templates of no university.
  "shared-read": anywhere("ta"),
  "shared-write": anywhere("platform_admin"),

  "prompt:read": anywhere("instructor"),
  "prompt:write": anywhere("instructor"),
  "prompt:delete": anywhere("platform_admin"),
  "prompt:protected-label": anywhere("platform_admin"),
  "feature-request:manage": anywhere("instructor"),
  "credentials:manage": forItsUniversity("university_admin"),
  "api-key:manage": forItsUniversity("university_admin"),
  // For API keys only.
  "directory:provision": forItsUniversity("university_admin"),
  "directory:manage": forItsUniversity("university_admin"),
  "platform-credentials:manage": anywhere("platform_admin"),
  "analytics:read": anywhere("platform_admin"),
  // For a department: its administrators.
  "university-analytics:read": forItsDepartment("department_admin"),
  "event:read": forItsUniversity("university_admin"),
  "final-grade:read": forItsUniversity("university_admin"),
  "tutor-report:read": forItsUniversity("university_admin"),
  "reference-data:write": anywhere("platform_admin"),
} as const satisfies Record<string, PolicyRule>;

export type PolicyAction = keyof typeof policy;

/** Actions within an offering, which the course alone cannot decide. */
export type OfferingAction = {
  [A in PolicyAction]: (typeof policy)[A] extends { apartFrom: "offering" } ? A : never;
}[PolicyAction];

export type NonOfferingAction = Exclude<PolicyAction, OfferingAction>;

/** Staff by LTI launch: people and work of the one offering, not its content. */
const ofLaunchedStaff: ReadonlySet<PolicyAction> = new Set<PolicyAction>([
  "roster:read",
  "attempt:read",
  "attempt:grade",
  "submission:read",
  "submission:grade",
  "grade:read",
  "grade:write",
  "discussion:read",
  "discussion:moderate",
]);

/** 0 for student. Higher ranks include lower ones. */
const rankOf = (role: RoleName): number => roles.indexOf(role);

const reaches = (held: RoleName, least: RoleName): boolean => rankOf(held) >= rankOf(least);

/** The role loses the action in courses that its holder takes. */
export const isBarredWhereEnrolled = (held: HeldRole, action: PolicyAction): boolean =>
  "apartFrom" in policy[action] && !reaches(held.role, "department_admin");

/** Whether these roles allow `action` in `scope`, if the rule needs one. */
export function can(held: readonly HeldRole[], action: PolicyAction, scope?: EntityScopeIds): boolean {
  const rule: PolicyRule = policy[action];
  return held.some(
    (role) =>
      role.role === "platform_admin" ||
      (reaches(role.role, rule.least) &&
        (role.offering_id
          ? ofLaunchedStaff.has(action) && role.offering_id === scope?.offering_id
          : countsAt(role, rule.where, scope))),
  );
}

/** Throws 403 `Not enough permissions` unless the actor may do `action` in `scope`. */
export function ensurePermission(
  actor: { roles: readonly HeldRole[] },
  action: PolicyAction,
  scope?: EntityScopeIds,
): void {
  if (!can(actor.roles, action, scope)) throw forbidden();
}

function countsAt(role: HeldRole, where: Where, scope: EntityScopeIds | undefined): boolean {
  // A role in a course counts only there.
  if (role.course_id) return where === "for its department" && role.course_id === scope?.course_id;
  if (where === "anywhere") return true;
  if (!scope || role.university_id !== scope.university_id) return false;
  if (where === "in its university" || role.department_id === null) return true;
  return where === "for its department" && role.department_id === scope.department_id;
}
