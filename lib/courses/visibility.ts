import { or, type SQL, sql } from "drizzle-orm";
import { courses } from "../../schema/db/courses.ts";
import { mayAt, type RoleHolder } from "../rbac/places.ts";

/** Rows of `courses` at which the caller is staff: a teaching assistant or above, there. */
export const staffOfCourse = (caller: RoleHolder): SQL =>
  mayAt(caller, "course:read-unpublished", courses.university_id, courses.department_id);

/** Rows of `courses` that the caller may see: published ones, and for staff the rest of theirs. */
export const courseVisibleTo = (caller: RoleHolder): SQL =>
  or(courses.is_published, staffOfCourse(caller)) ?? sql`false`;
