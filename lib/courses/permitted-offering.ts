import { and, eq, type SQL, sql } from "drizzle-orm";
import { courses } from "../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../schema/db/courses/offerings.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "./course-permissions.ts";

/** One row (offering_id, university_id) if permitted in the offering's course. */
export const permittedOfferingQuery = (actor: Actor, action: PolicyAction, offeringId: number): SQL => sql`
  select course_offerings.id as offering_id, courses.university_id
  from course_offerings join courses on courses.id = course_offerings.course_id
  where course_offerings.id = ${offeringId} and ${offeringPermissionCondition(actor, action)}`;

/** 404 if the caller cannot see the offering, else 403. */
export async function explainOfferingRefusal(db: ReadDb, actor: Actor, offeringId: number): Promise<never> {
  const [offering] = await db
    .select({ id: courseOfferings.id })
    .from(courseOfferings)
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .where(and(eq(courseOfferings.id, offeringId), visibleCourseCondition(actor)));
  throw offering ? forbidden() : notFound("Offering");
}

/** Errors as `explainOfferingRefusal`; for operations that read a lot before they write. */
export async function ensurePermittedInOffering(
  db: Db,
  actor: Actor,
  action: PolicyAction,
  offeringId: number,
): Promise<void> {
  const { rows } = await db.execute(permittedOfferingQuery(actor, action, offeringId));
  if (rows.length === 0) await explainOfferingRefusal(db, actor, offeringId);
}
