import { and, eq, getTableColumns, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  Course,
  type CourseCreate,
  type CourseQuery,
  type CourseSummary,
  type CourseUpdate,
} from "../../schema/api/courses/courses.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { toInstant } from "../../schema/db/platform/columns.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { ensurePermission, type NonOfferingAction } from "../identity/rbac/policy.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPage } from "../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey } from "../platform/db/query/page.ts";
import { versionedUpdateValues } from "../platform/db/query/partial-update.ts";
import { StoredInstant, typedSql } from "../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../platform/db/query/search-and-sort.ts";
import {
  type ExpectedVersions,
  ensureVersion,
  expectedVersionCondition,
} from "../platform/db/query/versions.ts";
import { rethrowMissingFile } from "../platform/db/query/violations.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import { courseFilterCondition, coursesInSubjectSubtreeConditions } from "./course-filters.ts";
import {
  coursePermissionCondition,
  courseStaffCondition,
  visibleCourseCondition,
} from "./course-permissions.ts";
import { translateDeleteRefusal } from "./delete-refusals.ts";
import { coursePictureFileIdSql, setCoursePictureSql } from "./pictures.ts";

const { search_text: _, tutor_line, ...columns } = getTableColumns(courses);

const summary = {
  id: courses.id,
  title: courses.title,
  code: courses.code,
  description: courses.description,
  level: courses.level,
  language_code: courses.language_code,
  credit_hours: courses.credit_hours,
  primary_subject_id: courses.primary_subject_id,
  picture_file_id: coursePictureFileIdSql(),
  is_published: courses.is_published,
  university_id: courses.university_id,
  department_id: courses.department_id,
  version: courses.version,
};

/** JSON from the database has its own format of timestamps. */
const StoredPrerequisites = z.array(Course.shape.prerequisites.element.extend({ created_at: StoredInstant }));

export const StoredCourse = Course.extend({ prerequisites: StoredPrerequisites });

const required = alias(courses, "required");

const stored = {
  picture: coursePictureFileIdSql(),
  subjectsOf: sql`courses.id`,
  prerequisites: sql`(select * from course_prerequisites where course_prerequisites.course_id = courses.id)`,
};

/** With subjects, and the prerequisites that the caller may see. */
export const courseDetailColumns = (
  caller: Actor | undefined,
  { picture, subjectsOf, prerequisites } = stored,
) => ({
  ...columns,
  picture_file_id: picture,
  tutor_line: typedSql(
    z.string().nullable(),
  )`case when ${coursePermissionCondition(caller, "tutor-notes:read")} then courses.tutor_line end`,
  subjects: typedSql(Course.shape.subjects)`coalesce((
    select json_agg(json_build_object(
      'id', subjects.id, 'name', subjects.name, 'code', subjects.code,
      'is_primary', subjects.id is not distinct from courses.primary_subject_id) order by subjects.id)
    from course_subjects join subjects on subjects.id = course_subjects.subject_id
    where course_subjects.course_id = ${subjectsOf}), '[]')`,
  prerequisites: typedSql(StoredPrerequisites)`coalesce((
    select json_agg(json_build_object(
      'id', course_prerequisites.id, 'course_id', course_prerequisites.course_id,
      'prerequisite_course_id', required.id,
      'title', required.title, 'code', required.code,
      'prerequisite_type', upper(course_prerequisites.prerequisite_type),
      'created_at', course_prerequisites.created_at) order by course_prerequisites.id)
    from ${prerequisites} as course_prerequisites
    join courses as required on required.id = course_prerequisites.prerequisite_course_id
    where ${visibleCourseCondition(caller, required)}), '[]')`,
  average_rating: typedSql(z.number().nullable())`(
    select rating_sum::float8 / nullif(reviews, 0) from course_ratings where course_id = courses.id)`,
  review_count: typedSql(z.int())`coalesce((
    select reviews from course_ratings where course_id = courses.id), 0)`,
});

export const withIsoPrerequisiteDates = <Stored extends Pick<Course, "prerequisites">>(
  course: Stored,
): Stored => ({
  ...course,
  prerequisites: course.prerequisites.map((one) => ({ ...one, created_at: toInstant(one.created_at) })),
});

const sorts = { id: [], title: [createSortKey(courses.search_text, "text")], code: [courses.code] };

export async function listCourses(
  db: ReadDb,
  actor: Actor | undefined,
  { sort, skip, limit, after, ...wanted }: CourseQuery,
): Promise<JsonListPage<CourseSummary>> {
  const page = createPageQuery({ skip, limit, after }, sortKeysForParameter(sort, sorts, courses.id));
  const { subject_id, ...others } = wanted;
  const found = coursesWanted(actor, others);
  const ofSubject =
    subject_id && page.whereAny(courses, coursesInSubjectSubtreeConditions(subject_id), found);
  return queryJsonPage(db, page.rows(summary, sql`courses`, ofSubject || found));
}

type CourseFilters = Omit<CourseQuery, "subject_id" | "sort" | "skip" | "limit" | "after">;

/** Unpublished courses are searched only where the caller is staff. */
const coursesWanted = (
  actor: Actor | undefined,
  { q, university_id, department_id, is_published, ...choice }: CourseFilters,
): SQL | undefined =>
  and(
    is_published === false ? courseStaffCondition(actor) : visibleCourseCondition(actor),
    is_published === undefined
      ? undefined
      : is_published
        ? courses.is_published.getSQL()
        : not(courses.is_published),
    university_id ? eq(courses.university_id, university_id) : undefined,
    department_id ? eq(courses.department_id, department_id) : undefined,
    courseFilterCondition(choice),
    containsAllWordsCondition(courses.search_text, q),
  );

/** 404 if there is none that the caller may see. */
export async function getCourse(db: ReadDb, actor: Actor | undefined, courseId: number): Promise<Course> {
  const [course] = await db
    .select(courseDetailColumns(actor))
    .from(courses)
    .where(and(eq(courses.id, courseId), visibleCourseCondition(actor)));
  if (!course) throw notFound("Course");
  return withIsoPrerequisiteDates(course);
}

/**
 * 403 without the right, 400 for a code in use, a model outside `models`, or a picture that the caller may
 * not use.
 */
export async function createCourse(
  db: Db,
  actor: Actor,
  { picture_file_id = null, ...input }: CourseCreate,
  models: readonly string[],
): Promise<Course> {
  ensurePermission(actor, "course:write", input);
  ensureModel(input, models);
  const [course] = await db
    .insert(courses)
    .values(input)
    .returning({ ...columns, tutor_line, picture_file_id: setCoursePictureSql(actor, picture_file_id) })
    .catch(rethrowMissingFile);
  if (!course) throw notFound("Course");
  return { ...course, subjects: [], prerequisites: [], average_rating: null, review_count: 0 };
}

/** The model determines the platform's costs, so instructors choose only from `models`. */
function ensureModel(
  { llm_model }: { llm_model?: string | null | undefined },
  models: readonly string[],
): void {
  if (llm_model && !models.includes(llm_model))
    throw badRequest("not_one_of", { field: "llm_model", choices: models.join(", ") });
}

/**
 * Absent fields keep their values, also a model no longer in `models`. 400 for another university or a new
 * model outside `models`, 412 on a version conflict.
 */
export async function updateCourse(
  db: Db,
  actor: Actor,
  courseId: number,
  { university_id, picture_file_id, ...change }: CourseUpdate,
  models: readonly string[],
  expected: ExpectedVersions,
): Promise<Course> {
  const isAllowed = !change.llm_model || models.includes(change.llm_model);
  const inItsUniversity = university_id ? eq(courses.university_id, university_id) : undefined;
  // A new picture counts as a change of the course.
  const changed = versionedUpdateValues(
    picture_file_id === undefined ? change : { ...change, updated_at: sql`service_now()` },
    courses,
  );
  const picture =
    picture_file_id === undefined ? stored.picture : setCoursePictureSql(actor, picture_file_id);
  const [course] = await db
    .update(courses)
    .set(changed)
    .where(
      and(
        permittedCourseCondition(actor, "course:write", courseId),
        expectedVersionCondition(courses.version, expected),
        mayMoveTo(actor, change.department_id),
        inItsUniversity,
        isAllowed ? undefined : eq(courses.llm_model, change.llm_model ?? ""),
      ),
    )
    .returning(courseDetailColumns(actor, { ...stored, picture }))
    .catch(rethrowMissingFile);
  return course
    ? withIsoPrerequisiteDates(course)
    : explainUpdateRefusal(db, actor, courseId, change, models, expected);
}

async function explainUpdateRefusal(
  db: Db,
  actor: Actor,
  courseId: number,
  change: CourseUpdate,
  models: readonly string[],
  expected: ExpectedVersions,
): Promise<never> {
  const course = await getCourse(db, actor, courseId);
  const { department_id } = change;
  ensurePermission(actor, "course:write", { ...course, course_id: course.id });
  if (department_id !== undefined && department_id !== course.department_id)
    ensurePermission(actor, "course:write", { university_id: course.university_id, department_id });
  ensureVersion(course, expected);
  if (course.llm_model !== change.llm_model) ensureModel(change, models);
  throw badRequest("course_stays_in_university");
}

/**
 * Deletes offerings, modules and content too. 400 if anyone is enrolled or has used the course, 412 on a
 * version conflict.
 */
export async function deleteCourse(
  db: Db,
  actor: Actor,
  courseId: number,
  expected: ExpectedVersions,
): Promise<void> {
  const deleted = await db
    .delete(courses)
    .where(
      and(
        permittedCourseCondition(actor, "course:delete", courseId),
        expectedVersionCondition(courses.version, expected),
      ),
    )
    .returning({ id: courses.id })
    .catch(translateDeleteRefusal(db, "Course", sql`course_offerings.course_id = ${courseId}`));
  if (deleted.length > 0) return;
  await ensureCourseVersion(db, actor, "course:delete", courseId, expected);
  await explainCourseRefusal(db, actor, courseId);
}

export const permittedCourseCondition = (
  actor: Actor,
  action: NonOfferingAction,
  courseId: number | SQL,
): SQL | undefined => and(eq(courses.id, courseId), coursePermissionCondition(actor, action));

/** 404 if the caller cannot see the course, else 403. */
export async function explainCourseRefusal(db: ReadDb, actor: Actor, courseId: number): Promise<never> {
  await getCourse(db, actor, courseId);
  throw forbidden();
}

/** 412 if the caller may do `action` but the version differs. */
export async function ensureCourseVersion(
  db: Db,
  actor: Actor,
  action: NonOfferingAction,
  courseId: number | SQL,
  expected: ExpectedVersions,
): Promise<void> {
  if (!expected) return;
  const [course] = await db
    .select(courseDetailColumns(actor))
    .from(courses)
    .where(permittedCourseCondition(actor, action, courseId));
  if (course) ensureVersion(withIsoPrerequisiteDates(course), expected);
}

/** Another department needs the right there too; teaching the course is not enough. */
const mayMoveTo = (actor: Actor, departmentId: number | null | undefined): SQL | undefined =>
  departmentId === undefined
    ? undefined
    : or(
        sql`${courses.department_id} is not distinct from ${departmentId}::int`,
        permissionCondition(actor, "course:write", courses.university_id, sql`${departmentId}::int`),
      );
