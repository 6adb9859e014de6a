import { and, asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Course, CourseCreate, CourseQuery, CourseSummary, CourseUpdate } from "../../schema/api/courses.ts";
import { courses } from "../../schema/db/courses.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { forbidden, notFound } from "../errors.ts";
import { mayAt } from "../rbac/places.ts";
import { ensure } from "../rbac/policy.ts";
import { courseVisibleTo } from "./visibility.ts";

const summary = {
  id: courses.id,
  title: courses.title,
  code: courses.code,
  description: courses.description,
  level: courses.level,
  credit_hours: courses.credit_hours,
  is_published: courses.is_published,
  university_id: courses.university_id,
  department_id: courses.department_id,
};

const detailed = {
  ...getTableColumns(courses),
  subjects: sql<Course["subjects"]>`coalesce((
    select json_agg(json_build_object('id', subjects.id, 'name', subjects.name, 'code', subjects.code,
                                      'is_primary', course_subjects.is_primary) order by subjects.id)
    from course_subjects join subjects on subjects.id = course_subjects.subject_id
    where course_subjects.course_id = ${courses.id}), '[]')`,
  prerequisites: sql<Course["prerequisites"]>`coalesce((
    select json_agg(json_build_object('id', course_prerequisites.id, 'prerequisite_course_id', required.id,
                                      'title', required.title, 'code', required.code,
                                      'prerequisite_type', upper(course_prerequisites.prerequisite_type))
                    order by course_prerequisites.id)
    from course_prerequisites join courses as required on required.id = course_prerequisites.prerequisite_course_id
    where course_prerequisites.course_id = ${courses.id}), '[]')`,
};

/** The courses that the caller may see, by id. */
export async function listCourses(
  db: Db,
  actor: Actor | undefined,
  { university_id, skip, limit }: CourseQuery,
): Promise<CourseSummary[]> {
  const ofUniversity = university_id ? eq(courses.university_id, university_id) : undefined;
  return db
    .select(summary)
    .from(courses)
    .where(and(courseVisibleTo(actor), ofUniversity))
    .orderBy(asc(courses.id))
    .offset(skip)
    .limit(limit);
}

/** A course in full; 404 when there is none that the caller may see. */
export async function getCourse(db: Db, actor: Actor | undefined, courseId: number): Promise<Course> {
  const [course] = await db
    .select(detailed)
    .from(courses)
    .where(and(eq(courses.id, courseId), courseVisibleTo(actor)));
  if (!course) throw notFound("Course");
  return course;
}

/** Creates a course; 403 without the right there, 400 when the university has its code already. */
export async function createCourse(db: Db, actor: Actor, input: CourseCreate): Promise<Course> {
  ensure(actor, "course:write", input);
  const [course] = await db.insert(courses).values(input).returning();
  if (!course) throw notFound("Course");
  return { ...course, subjects: [], prerequisites: [] };
}

/** Changes a course; absent fields keep their values. Its university never changes. */
export async function updateCourse(
  db: Db,
  actor: Actor,
  courseId: number,
  change: CourseUpdate,
): Promise<Course> {
  const [course] = await db
    .update(courses)
    .set({ ...change, updated_at: sql`now()` })
    .where(and(eq(courses.id, courseId), writableBy(actor), mayMoveTo(actor, change.department_id)))
    .returning(detailed);
  return course ?? refuse(db, actor, courseId);
}

const writableBy = (actor: Actor): SQL =>
  mayAt(actor, "course:write", courses.university_id, courses.department_id);

/** Whoever moves a course to another department needs the right there as well. */
const mayMoveTo = (actor: Actor, departmentId: number | null | undefined): SQL | undefined =>
  departmentId === undefined
    ? undefined
    : mayAt(actor, "course:write", courses.university_id, sql`${departmentId}::int`);

/** Why a course was not there to be written: 404 when the caller cannot see it, else 403. */
export async function refuse(db: Db, actor: Actor, courseId: number): Promise<never> {
  await getCourse(db, actor, courseId);
  throw forbidden();
}
