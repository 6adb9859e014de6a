import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Enrollment, EnrollmentUpdate } from "../../schema/api/enrollments.ts";
import type { Actor } from "../auth/actor.ts";
import { courseAllows, courseVisibleTo } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { valueAs } from "../db/rows.ts";
import { badRequest, notFound } from "../errors.ts";
import { asEnrollment, enrollmentColumns, getEnrollment } from "./enrollments.ts";

/*
 * Seats are given and freed by functions of the database, which handle the changes of one offering one after another.
 * They return the enrollment, or why it was refused; the same statement checks who may call them.
 */

/** The refusals of the database's functions, and what the caller is told. */
const refusals = {
  not_open: () => "Enrollment is not open",
  already_enrolled: () => "Already enrolled",
  unmet_prerequisites: (missing: string | null) => `Unmet prerequisites: ${missing}`,
  full: () => "Offering is full",
};

/**
 * Enrolls the caller: in a full offering at the end of its waiting list; a dropped enrollment is taken up again.
 * Whoever has no role in the university becomes a student there. 404 when they cannot see the offering's course;
 * 400 outside of the enrollment window, without the strict prerequisites, and when enrolled already.
 */
export async function enroll(db: Db, actor: Actor, offeringId: number, now: Date): Promise<Enrollment> {
  const enrollment = await changeSeat(
    db,
    sql`
      select course_offerings.id, term_name, title, code
      from course_offerings join courses on courses.id = course_id
      where course_offerings.id = ${offeringId} and ${courseVisibleTo(actor)}`,
    sql`enroll(reached.id, ${actor.id}, ${now.toISOString()})`,
  );
  if (!enrollment) throw notFound("Offering");
  return enrollment;
}

/**
 * Moves an enrollment to another status; for its owner and the university's staff. A seat that is freed goes to
 * whoever has waited longest, in the same transaction. The owner becomes active only as if enrolling anew, else 400;
 * staff may overfill an offering.
 */
export async function updateEnrollment(
  db: Db,
  actor: Actor,
  enrollmentId: number,
  { status }: EnrollmentUpdate,
  now: Date,
): Promise<Enrollment> {
  const staff = courseAllows(actor, "enrollment:manage");
  const wanted = status?.toLowerCase() ?? null;
  const enrollment = await changeSeat(
    db,
    sql`
      select enrollments.id, term_name, title, code, not ${staff} as by_owner
      from enrollments
      join course_offerings on course_offerings.id = course_offering_id
      join courses on courses.id = course_id
      where enrollments.id = ${enrollmentId} and (user_id = ${actor.id} or ${staff})`,
    sql`set_enrollment_status(reached.id, ${wanted}, reached.by_owner, ${now.toISOString()})`,
  );
  // What was not reached is no enrollment, or not the caller's: reading it says which.
  return enrollment ?? getEnrollment(db, actor, enrollmentId);
}

/** Calls a function of the database for the one row that `reached` selects; undefined when it selects none. */
async function changeSeat(db: Db, reached: SQL, call: SQL): Promise<Enrollment | undefined> {
  const columns = {
    ...enrollmentColumns,
    refusal: valueAs(z.enum(Object.keys(refusals) as (keyof typeof refusals)[]).nullable())`refusal`.as(
      "refusal",
    ),
    missing: valueAs(z.string().nullable())`missing`.as("missing"),
  };
  // Materialized, so that the function is called for no row that the condition leaves out.
  const changed = db.$with("changed", columns).as(sql`
    with reached as materialized (${reached})
    select (done.enrollment).*, term_name, title, code, refusal, missing
    from reached cross join lateral ${call} as done`);
  const [row] = await db.with(changed).select().from(changed);
  if (!row) return undefined;
  const { refusal, missing, ...enrollment } = row;
  if (refusal) throw badRequest(refusals[refusal](missing));
  return asEnrollment(enrollment);
}
