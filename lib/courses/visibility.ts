import { and, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { courses } from "../../schema/db/courses.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import type { Actor } from "../auth/actor.ts";
import { inReach } from "../auth/token-reach.ts";
import type { Action, CourseAction } from "../rbac/policy.ts";
import { mayAt, type RoleHolder } from "../rbac/scopes.ts";

/** The columns that decide who sees a course: of `courses`, or of an alias of it. */
type CourseColumns = Record<"id" | "is_published" | "university_id" | "department_id", SQLWrapper>;

/** Rows of `courses` to which the caller may do `action`. */
export const courseAllows = (
  caller: RoleHolder,
  action: CourseAction,
  course: CourseColumns = courses,
  part?: { pool: SQLWrapper },
): SQL => mayAt(caller, action, course.university_id, course.department_id, course.id, part);

/** Rows of `course_offerings`, beside their `courses`, to which the caller may do `action`. */
export const offeringAllows = (
  caller: RoleHolder,
  action: Action,
  offering: SQLWrapper = courseOfferings.id,
): SQL => mayAt(caller, action, courses.university_id, courses.department_id, courses.id, { offering });

/** Rows of `courses` at which the caller is staff: a teaching assistant or above, or its instructor, there. */
export const staffOfCourse = (caller: RoleHolder, course: CourseColumns = courses): SQL =>
  courseAllows(caller, "course:read-unpublished", course);

/** Rows of `courses` that the caller may see: published ones, and for staff the rest of theirs. */
export const courseVisibleTo = (caller: RoleHolder, course: CourseColumns = courses): SQL =>
  or(course.is_published, staffOfCourse(caller, course)) ?? sql`false`;

/**
 * Rows of `course_offerings`, beside their visible `courses`, that a list shows the caller: public ones, and the
 * private ones for staff, their instructors and the enrolled. By its id an offering is as visible as its course.
 */
export const offeringListedFor = (actor: Actor | undefined): SQL =>
  or(
    eq(courseOfferings.visibility, "PUBLIC"),
    staffOfCourse(actor),
    actor && and(inReach(actor, courses.university_id), or(teaches(actor), attends(actor))),
  ) ?? sql`false`;

/** What is someone's is read once in a statement, however many rows it looks at. */
const isOneOf = (own: SQL): SQL => sql`${courseOfferings.id} = any(array(${own}))`;

/** Rows of `course_offerings` that the caller is named as teaching. */
export const teaches = (actor: Actor): SQL =>
  isOneOf(sql`select course_offering_id from course_offering_instructors where user_id = ${actor.id}`);

const attends = (actor: Actor): SQL =>
  isOneOf(
    sql`select course_offering_id from enrollments where user_id = ${actor.id} and status <> 'dropped'`,
  );
