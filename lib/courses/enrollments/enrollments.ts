import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import * as z from "zod";
import type { Enrollment, EnrollmentQuery } from "../../../schema/api/courses/enrollments.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition, tokenReachesUniversity } from "../../identity/auth/token-reach.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import {
  type PagedRowsQuery,
  queryJsonPage,
  queryJsonPageOfOwner,
} from "../../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { offeringPermissionCondition } from "../course-permissions.ts";
import { storedProgressPercentSql } from "../course-progress/progress-percent.ts";

/** Calls the function for waitlisted rows only: a call costs more than the rest of a row. */
export const waitlistPositionSql = typedSql(
  z.int().nullable(),
)`case when enrollments.status = 'waitlisted' then waitlist_position(enrollments) end`;

export const enrollmentColumns = {
  id: enrollments.id,
  user_id: enrollments.user_id,
  course_offering_id: enrollments.course_offering_id,
  status: enrollments.status,
  enrolled_at: enrollments.enrolled_at,
  completed_at: enrollments.completed_at,
  completion_source: enrollments.completion_source,
  university_id: enrollments.university_id,
  course_id: courseOfferings.course_id,
  starts_at: courseOfferings.starts_at,
  ends_at: courseOfferings.ends_at,
  progress_percent: storedProgressPercentSql,
  position: waitlistPositionSql,
  term_name: courseOfferings.term_name,
  title: courses.title,
  code: courses.code,
};

type EnrollmentRow = Omit<Enrollment, "course_offering"> & {
  term_name: string | null;
  title: string;
  code: string;
};

export const toEnrollment = ({ term_name, title, code, ...enrollment }: EnrollmentRow): Enrollment => ({
  ...enrollment,
  course_offering: { term_name, course: { title, code } },
});

const selectEnrollments = (db: ReadDb) =>
  db
    .select(enrollmentColumns)
    .from(enrollments)
    .innerJoin(courseOfferings, eq(courseOfferings.id, enrollments.course_offering_id))
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .$dynamic();

export const listMyEnrollments = (
  db: ReadDb,
  actor: Actor,
  query: EnrollmentQuery,
): Promise<JsonListPage<Enrollment>> =>
  queryJsonPage(db, enrollmentsOf(sql`${actor.id}`, query, ownOf(actor)));

const ownOf = (actor: Actor): SQL | undefined =>
  tokenReachCondition(actor, enrollments.university_id, { offering: enrollments.course_offering_id });

/**
 * In courses whose enrollments the caller manages; all for the caller themselves. 404 if the caller cannot
 * see the person.
 */
export async function listPersonEnrollments(
  db: ReadDb,
  actor: Actor,
  userId: number,
  query: EnrollmentQuery,
): Promise<JsonListPage<Enrollment>> {
  const managed =
    userId === actor.id ? ownOf(actor) : offeringPermissionCondition(actor, "enrollment:manage");
  const list = await queryJsonPageOfOwner<Enrollment>(
    db,
    sql`${users} where ${and(eq(users.id, userId), visiblePersonCondition(actor))}`,
    enrollmentsOf(users.id, query, managed),
  );
  if (!list) throw notFound("User");
  return list;
}

const sorts = {
  enrolled_at: [enrollments.enrolled_at],
  title: [createSortKey(courses.search_text, "text")],
};

const { term_name, title, code, ...ownColumns } = enrollmentColumns;

const listedColumns = {
  ...ownColumns,
  course_offering: sql`json_build_object(
    'term_name', ${term_name}, 'course', json_build_object('title', ${title}, 'code', ${code}))`,
};

const withCourses = sql`
  enrollments
  join course_offerings on course_offerings.id = enrollments.course_offering_id
  join courses on courses.id = course_offerings.course_id`;

function enrollmentsOf(
  userId: SQLWrapper,
  { q, status, university_id, course_id, sort, ...window }: EnrollmentQuery,
  condition?: SQL,
): PagedRowsQuery {
  const wanted = and(
    sql`enrollments.user_id = ${userId}`,
    condition,
    status ? eq(enrollments.status, status) : undefined,
    university_id ? eq(enrollments.university_id, university_id) : undefined,
    course_id ? eq(courses.id, course_id) : undefined,
    containsAllWordsCondition(courses.search_text, q),
  );
  return createPageQuery(window, sortKeysForParameter(sort, sorts, enrollments.id)).rows(
    listedColumns,
    withCourses,
    wanted,
  );
}

/** 404 if there is none, 403 if it is another person's. */
export async function getEnrollment(db: ReadDb, actor: Actor, enrollmentId: number): Promise<Enrollment> {
  const [row] = await selectEnrollments(db).where(eq(enrollments.id, enrollmentId));
  if (!row) throw notFound("Enrollment");
  if (row.user_id !== actor.id || !tokenReachesUniversity(actor, row.university_id, row.course_offering_id))
    throw forbidden("not_your_enrollment");
  return toEnrollment(row);
}
