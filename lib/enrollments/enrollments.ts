import { asc, desc, eq } from "drizzle-orm";
import type { Enrollment } from "../../schema/api/enrollments.ts";
import type { Pagination } from "../../schema/api/fields.ts";
import { courses } from "../../schema/db/courses.ts";
import { enrollments } from "../../schema/db/enrollments.ts";
import { courseOfferings } from "../../schema/db/offerings.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { forbidden, notFound } from "../errors.ts";

/** What is read of an enrollment, from `enrollments` joined with `course_offerings` and `courses`. */
export const enrollmentColumns = {
  id: enrollments.id,
  user_id: enrollments.user_id,
  course_offering_id: enrollments.course_offering_id,
  status: enrollments.status,
  enrolled_at: enrollments.enrolled_at,
  completed_at: enrollments.completed_at,
  term_name: courseOfferings.term_name,
  title: courses.title,
  code: courses.code,
};

type EnrollmentRow = Omit<Enrollment, "course_offering"> & {
  term_name: string | null;
  title: string;
  code: string;
};

/** An enrollment as it is answered. */
export const asEnrollment = ({ term_name, title, code, ...enrollment }: EnrollmentRow): Enrollment => ({
  ...enrollment,
  course_offering: { term_name, course: { title, code } },
});

const selectEnrollments = (db: Db) =>
  db
    .select(enrollmentColumns)
    .from(enrollments)
    .innerJoin(courseOfferings, eq(courseOfferings.id, enrollments.course_offering_id))
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .$dynamic();

/** The caller's own enrollments of every status, newest first. */
export async function listMyEnrollments(
  db: Db,
  actor: Actor,
  { skip, limit }: Pagination,
): Promise<Enrollment[]> {
  const rows = await selectEnrollments(db)
    .where(eq(enrollments.user_id, actor.id))
    .orderBy(desc(enrollments.enrolled_at), asc(enrollments.id))
    .offset(skip)
    .limit(limit);
  return rows.map(asEnrollment);
}

/** The caller's own enrollment; 404 when there is none, 403 when it is another's. */
export async function getEnrollment(db: Db, actor: Actor, enrollmentId: number): Promise<Enrollment> {
  const [row] = await selectEnrollments(db).where(eq(enrollments.id, enrollmentId));
  if (!row) throw notFound("Enrollment");
  if (row.user_id !== actor.id) throw forbidden("Not your enrollment");
  return asEnrollment(row);
}
