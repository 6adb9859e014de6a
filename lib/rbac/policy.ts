import * as z from "zod";
import { roles } from "../../schema/enums.ts";
import { forbidden } from "../errors.ts";

export type RoleName = (typeof roles)[number];

/**
 * A role that someone holds: in one university, and perhaps for one department or, as an instructor of an offering, for
 * one course of it only; as staff whom an LMS names, for one offering.
 */
export const HeldRole = z.object({
  role: z.enum(roles),
  university_id: z.int(),
  department_id: z.int().nullable(),
  course_id: z.int().nullable().optional(),
  offering_id: z.int().nullable().optional(),
});

export type HeldRole = z.output<typeof HeldRole>;

/** Where a thing belongs, and so which roles count there: its university, its department and course when it has one. */
export type Scope = {
  university_id: number | null;
  department_id?: number | null | undefined;
  course_id?: number | null | undefined;
  offering_id?: number | null | undefined;
};

type Where = "anywhere" | "in its university" | "for its university" | "for its department";

export type Rule = { least: RoleName; where: Where; apartFrom?: "offering" | "course" };

/** Held in any university: for what belongs to none. */
const anywhere = (least: RoleName): Rule => ({ least, where: "anywhere" });
/** Held in the thing's university, if only for a department of it; teaching a course there is not enough. */
const inItsUniversity = (least: RoleName): Rule => ({ least, where: "in its university" });
/** Held for the whole of the thing's university. */
const forItsUniversity = (least: RoleName): Rule => ({ least, where: "for its university" });
/** Held for the whole of the thing's university, for the thing's department, or for its course. */
const forItsDepartment = (least: RoleName): Rule => ({ least, where: "for its department" });

/**
 * The same, but for a ta or an instructor who learns there themselves (the view `learners` of the database): in an
 * offering that they take, or wherever there are keys of a course of which they take an offering. Who administers a
 * department or more is not bound by it.
 */
const inOfferingsOfOthers = (rule: Rule) => ({ ...rule, apartFrom: "offering" }) as const;
const inCoursesOfOthers = (rule: Rule) => ({ ...rule, apartFrom: "course" }) as const;

/**
 * Who may do what: the least role for each action, and where that role must be held.
 * A platform_admin of any university may do everything everywhere.
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
  // Up to instructor, for a department.
  "role:grant": forItsDepartment("department_admin"),
  "role:grant-for-university": forItsUniversity("university_admin"),
  // Those that one may make, of which each role and offering takes its own right.
  "invitation:read": inItsUniversity("ta"),
  // Rights beside the roles, which administrators give and do not have by it.
  "office:grant": forItsUniversity("university_admin"),
  "identity-provider:manage": forItsUniversity("university_admin"),
  "identity-provider:grant-domains": anywhere("platform_admin"),
  "lti-platform:manage": forItsUniversity("university_admin"),
  // Whether an LMS is believed of people's addresses.
  "lti-platform:trust-email": anywhere("platform_admin"),
  // Whose addresses are its own people's.
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
  // The right answers, hidden tests and grading keys in content and attempts, and what the tutor makes of each answer.
  "key:read": inCoursesOfOthers(forItsDepartment("ta")),
  "tutor-answer:read": inCoursesOfOthers(forItsDepartment("ta")),
  // What teachers tell the tutor alone: solutions, errors, what it should never say.
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
  // The secret with which the grader of an item signs.
  "auto-grader:read": inCoursesOfOthers(forItsDepartment("instructor")),
  "auto-grader:renew": inCoursesOfOthers(forItsDepartment("instructor")),
  "grade:read": inOfferingsOfOthers(forItsDepartment("ta")),
  "grade:write": inOfferingsOfOthers(forItsDepartment("ta")),
  // How an offering is graded, what its learners see of it, and what is final.
  "grade:finalize": inOfferingsOfOthers(forItsDepartment("instructor")),
  "asset:read": inItsUniversity("ta"),
  "asset:write": inItsUniversity("instructor"),
  "module-template:read": inItsUniversity("ta"),
  "module-template:write": inItsUniversity("instructor"),
  // Assets and module templates that belong to no university.
  "shared-read": anywhere("ta"),
  "shared-write": anywhere("platform_admin"),

  "prompt:read": anywhere("instructor"),
  "prompt:write": anywhere("instructor"),
  "prompt:delete": anywhere("platform_admin"),
  "prompt:protected-label": anywhere("platform_admin"),
  "feature-request:manage": anywhere("instructor"),
  "credentials:manage": forItsUniversity("university_admin"),
  "api-key:manage": forItsUniversity("university_admin"),
  // By its machines alone, with a key.
  "directory:provision": forItsUniversity("university_admin"),
  "directory:manage": forItsUniversity("university_admin"),
  "platform-credentials:manage": anywhere("platform_admin"),
  "analytics:read": anywhere("platform_admin"),
  // Of a department, by whoever administers it.
  "university-analytics:read": forItsDepartment("department_admin"),
  "event:read": forItsUniversity("university_admin"),
  "final-grade:read": forItsUniversity("university_admin"),
  "tutor-report:read": forItsUniversity("university_admin"),
  "reference-data:write": anywhere("platform_admin"),
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof policy;

/** What is done in one offering, so that it takes more than the course to say who may. */
export type OfferingAction = {
  [A in Action]: (typeof policy)[A] extends { apartFrom: "offering" } ? A : never;
}[Action];

/** What takes the course and no offering of it. */
export type CourseAction = Exclude<Action, OfferingAction>;

/** What staff may do whom an LMS names: all of it in the one offering, of its people and their work, and none to its content. */
const ofLaunchedStaff: ReadonlySet<Action> = new Set<Action>([
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

/** The rank of a role, 0 for student; a higher rank may do all that a lower one may. */
const rankOf = (role: RoleName): number => roles.indexOf(role);

/** Whether `held` reaches the role `least`. */
const reaches = (held: RoleName, least: RoleName): boolean => rankOf(held) >= rankOf(least);

/** Whether a role gives the right to an action no longer where its holder learns themselves. */
export const keepsApart = (held: HeldRole, action: Action): boolean =>
  "apartFrom" in policy[action] && !reaches(held.role, "department_admin");

/** Whether someone who holds these roles may do `action`, to a thing in `scope` where the rule asks for one. */
export function can(held: readonly HeldRole[], action: Action, scope?: Scope): boolean {
  const rule: Rule = policy[action];
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
export function ensure(actor: { roles: readonly HeldRole[] }, action: Action, scope?: Scope): void {
  if (!can(actor.roles, action, scope)) throw forbidden();
}

function countsAt(role: HeldRole, where: Where, scope: Scope | undefined): boolean {
  // What people may do in the course that they teach, they may do nowhere else.
  if (role.course_id) return where === "for its department" && role.course_id === scope?.course_id;
  if (where === "anywhere") return true;
  if (!scope || role.university_id !== scope.university_id) return false;
  if (where === "in its university" || role.department_id === null) return true;
  return where === "for its department" && role.department_id === scope.department_id;
}
