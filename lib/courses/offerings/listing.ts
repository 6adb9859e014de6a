import { and, eq, type SQL, sql } from "drizzle-orm";
import type {
  CourseOfferingQuery,
  ListedOffering,
  Offering,
  OfferingQuery,
} from "../../../schema/api/courses/offerings.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { wireForm } from "../../../schema/db/platform/columns.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import {
  courseFilterCondition,
  coursesInSubjectSubtreeConditions,
  coursesMatchingWordsConditions,
} from "../course-filters.ts";
import { listedOfferingCondition, visibleCourseCondition } from "../course-permissions.ts";
import { coursePictureFileIdSql } from "../pictures.ts";
import { offeringColumns } from "./offerings.ts";

const sorts = { id: [], starts_at: [courseOfferings.starts_at] };

/** 404 if the caller cannot see the course. */
export async function listOfferingsInCourse(
  db: ReadDb,
  actor: Actor | undefined,
  courseId: number,
  { q, sort, skip, limit, after, ...wanted }: CourseOfferingQuery,
  now: Date,
): Promise<JsonListPage<Offering>> {
  const found = and(
    eq(courseOfferings.course_id, courses.id),
    listedOfferingCondition(actor),
    offeringsWanted(wanted, now),
    containsAllWordsCondition(sql`searched(${courseOfferings.term_name})`, q),
  );
  const list = await queryJsonPageOfOwner<Offering>(
    db,
    sql`${courses} where ${and(eq(courses.id, courseId), visibleCourseCondition(actor))}`,
    createPageQuery({ skip, limit, after }, sortKeysForParameter(sort, sorts, courseOfferings.id)).rows(
      offeringColumns(actor),
      sql`${courseOfferings}`,
      found,
    ),
  );
  if (!list) throw notFound("Course");
  return list;
}

/** Offerings that are listed for the caller, with course and instructors. */
export async function listOfferings(
  db: ReadDb,
  actor: Actor | undefined,
  {
    q,
    university_id,
    department_id,
    course_id,
    subject_id,
    sort,
    skip,
    limit,
    after,
    ...wanted
  }: OfferingQuery,
  now: Date,
): Promise<JsonListPage<ListedOffering>> {
  const found = and(
    visibleCourseCondition(actor),
    listedOfferingCondition(actor),
    university_id ? eq(courseOfferings.university_id, university_id) : undefined,
    department_id ? eq(courses.department_id, department_id) : undefined,
    course_id ? eq(courseOfferings.course_id, course_id) : undefined,
    courseFilterCondition(wanted),
    offeringsWanted(wanted, now),
    subject_id ? containsAllWordsCondition(courses.search_text, q) : undefined,
  );
  const page = createPageQuery({ skip, limit, after }, sortKeysForParameter(sort, sorts, courseOfferings.id));
  const from = sql`${courseOfferings} join ${courses} on ${courses.id} = ${courseOfferings.course_id}`;
  const ofCourses = subject_id
    ? coursesInSubjectSubtreeConditions(subject_id)
    : q && coursesMatchingWordsConditions(q);
  const columns = {
    ...offeringColumns(actor),
    course,
    teachers: offeringInstructorsJsonArraySql,
    is_open: isOpen(now),
  };
  return queryJsonPage(
    db,
    page.rows(columns, from, ofCourses ? page.whereAny(courseOfferings, ofCourses, found, from) : found),
  );
}

const course = sql`json_build_object(
  'title', ${courses.title}, 'code', ${courses.code}, 'department_id', ${courses.department_id},
  'description', ${courses.description}, 'level', ${wireForm(courses.level)},
  'language_code', ${courses.language_code}, 'credit_hours', ${courses.credit_hours},
  'picture_file_id', ${coursePictureFileIdSql()})`;

export const offeringInstructorsJsonArraySql = sql`array(
  select json_build_object('user_id', users.id, 'full_name', full_name)
  from course_offering_instructors as teaching join users on users.id = teaching.user_id
  where teaching.course_offering_id = ${courseOfferings.id} order by teaching.id limit 20)`;

type OfferingFilters = Pick<OfferingQuery, "visibility" | "term_id" | "teacher_id" | "open">;

const offeringsWanted = (
  { visibility, term_id, teacher_id, open }: OfferingFilters,
  now: Date,
): SQL | undefined =>
  and(
    visibility ? eq(courseOfferings.visibility, visibility) : undefined,
    term_id ? eq(courseOfferings.term_id, term_id) : undefined,
    teacher_id
      ? sql`${courseOfferings.id} in (
          select course_offering_id from course_offering_instructors where user_id = ${teacher_id})`
      : undefined,
    open === undefined ? undefined : open ? isOpen(now) : isClosed(now),
  );

/** By the rule of `is_waitlist_closed` in SQL, or not yet open. */
const isClosed = (now: Date): SQL => sql`(
  ${courseOfferings.enrollment_start} > ${now.toISOString()}
  or ${now.toISOString()} > coalesce(least(${courseOfferings.enrollment_end}, ${courseOfferings.ends_at}), (
    select (terms.ends_on + 1)::timestamp at time zone universities.time_zone
    from terms join universities on universities.id = terms.university_id
    where terms.id = ${courseOfferings.term_id})))`;

const isOpen = (now: Date): SQL => sql`coalesce(not ${isClosed(now)}, true)`;
