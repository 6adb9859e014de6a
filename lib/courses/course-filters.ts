import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { CourseQuery } from "../../schema/api/courses/courses.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { containsAllWordsCondition } from "../platform/db/query/search-and-sort.ts";

type Choice = Pick<CourseQuery, "level" | "language_code" | "credits_from" | "credits_to">;

export const courseFilterCondition = (choice: Choice): SQL | undefined =>
  and(
    choice.level ? eq(courses.level, choice.level) : undefined,
    choice.language_code ? isInLanguage(choice.language_code) : undefined,
    choice.credits_from === undefined ? undefined : gte(courses.credit_hours, choice.credits_from),
    choice.credits_to === undefined ? undefined : lte(courses.credit_hours, choice.credits_to),
  );

/** Up to this number, sorting matches is faster than scanning courses in list order. */
const maxSortedCourseMatches = 4000;

/**
 * A condition on `courses` with the ids of a statement, as two branches for `whereAny`, one of them empty.
 * Few matches are read by that statement and sorted. For many, `isOne` tests courses in list order until the
 * page is full.
 */
function fewOrMany(ids: SQL, isOne: SQL): [SQL, SQL] {
  const few = sql`(
    select case when cardinality(ids) <= ${maxSortedCourseMatches} then ids end
    from (select array(${ids} limit ${maxSortedCourseMatches + 1}) as ids offset 0) as first)`;
  return [sql`courses.id = any (${few}::int[])`, sql`(${few} is null and ${isOne})`];
}

/** The primary or another subject is this subject or one below it. */
export function coursesInSubjectSubtreeConditions(subjectId: number): [SQL, SQL] {
  const within = sql`array(
    with recursive within as (
      select ${subjectId}::int as id
      union
      select child.id from subjects as child join within on child.parent_subject_id = within.id
    )
    select id from within)`;
  const ids = sql`
    select course_id from (
      select course_id from course_subjects where subject_id = any (${within})
      union all
      select id from courses where primary_subject_id = any (${within})) as taught`;
  // The offset stops the planner from reading all of the subject's courses first; `any` would test each
  // subject for each course.
  const isTaught = sql`(
    courses.primary_subject_id = any (${within}) or exists (
      select from course_subjects where course_id = courses.id and array_position(${within}, subject_id) is not null offset 0))`;
  return fewOrMany(ids, isTaught);
}

export function coursesMatchingWordsConditions(words: string): [SQL, SQL] {
  const isNamed = sql`${containsAllWordsCondition(courses.search_text, words)}`;
  return fewOrMany(sql`select id from courses where ${isNamed}`, isNamed);
}

/** `en` matches `en-GB` too, as in `courses_language_index`. */
function isInLanguage(tag: string): SQL | undefined {
  const wanted = tag.toLowerCase();
  return and(
    sql`split_part(lower(${courses.language_code}), '-', 1) = ${wanted.split("-")[0]}`,
    wanted.includes("-") ? sql`lower(${courses.language_code}) = ${wanted}` : undefined,
  );
}
