import { and, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { courses } from "../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../schema/db/courses/offerings.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { NonOfferingAction, PolicyAction } from "../identity/rbac/policy.ts";
import { permissionCondition, type RoleHolder } from "../identity/rbac/scopes.ts";

type CourseColumns = Record<"id" | "is_published" | "university_id" | "department_id", SQLWrapper>;

export const coursePermissionCondition = (
  caller: RoleHolder,
  action: NonOfferingAction,
  course: CourseColumns = courses,
  part?: { pool: SQLWrapper },
): SQL => permissionCondition(caller, action, course.university_id, course.department_id, course.id, part);

/** On `course_offerings`, joined with `courses`, to which the caller may do `action`. */
export const offeringPermissionCondition = (
  caller: RoleHolder,
  action: PolicyAction,
  offering: SQLWrapper = courseOfferings.id,
): SQL =>
  permissionCondition(caller, action, courses.university_id, courses.department_id, courses.id, { offering });

/** A teaching assistant or above, or its instructor. */
export const courseStaffCondition = (caller: RoleHolder, course: CourseColumns = courses): SQL =>
  coursePermissionCondition(caller, "course:read-unpublished", course);

/** On `courses`: published ones, and unpublished ones as staff. */
export const visibleCourseCondition = (caller: RoleHolder, course: CourseColumns = courses): SQL =>
  sql`(${course.is_published} or ${courseStaffCondition(caller, course)})`;

/**
 * On `course_offerings`, joined with visible `courses`: public ones; private ones for staff, their
 * instructors and enrolled people. By id an offering is as visible as its course.
 */
export const listedOfferingCondition = (actor: Actor | undefined): SQL =>
  or(
    eq(courseOfferings.visibility, "PUBLIC"),
    courseStaffCondition(actor),
    actor &&
      and(
        tokenReachCondition(actor, courses.university_id),
        or(offeringInstructorCondition(actor), attends(actor)),
      ),
  ) ?? sql`false`;

/** Reads the caller's own rows once per statement. */
const isOneOf = (own: SQL): SQL => sql`${courseOfferings.id} = any(array(${own}))`;

export const offeringInstructorCondition = (actor: Actor): SQL =>
  isOneOf(sql`select course_offering_id from course_offering_instructors where user_id = ${actor.id}`);

const attends = (actor: Actor): SQL =>
  isOneOf(
    sql`select course_offering_id from enrollments where user_id = ${actor.id} and status <> 'dropped'`,
  );
