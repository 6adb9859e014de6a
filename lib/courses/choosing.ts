import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { CourseQuery } from "../../schema/api/courses.ts";
import { courses } from "../../schema/db/courses.ts";
import { has } from "../db/query/search-and-sort.ts";

type Choice = Pick<CourseQuery, "level" | "language_code" | "credits_from" | "credits_to">;

/** Rows of `courses` that are what people choose by, but for their subject. */
export const coursesChosenBy = (choice: Choice): SQL | undefined =>
  and(
    choice.level ? eq(courses.level, choice.level) : undefined,
    choice.language_code ? isInLanguage(choice.language_code) : undefined,
    choice.credits_from === undefined ? undefined : gte(courses.credit_hours, choice.credits_from),
    choice.credits_to === undefined ? undefined : lte(courses.credit_hours, choice.credits_to),
  );

/** Of so many courses it is quicker to look through all of them in the order of the list. */
const mostToPutInOrder = 4000;

/**
 * Rows of `courses` whose ids these are, by a statement that finds them from their own side: two conditions for `whereAny`, of which
 * one holds for none. Few are read by that statement and put in order; where they are many, `isOne` looks at courses in the
 * order of the list until the page is full.
 */
function fewOrMany(ids: SQL, isOne: SQL): [SQL, SQL] {
  const few = sql`(
    select case when cardinality(ids) <= ${mostToPutInOrder} then ids end
    from (select array(${ids} limit ${mostToPutInOrder + 1}) as ids offset 0) as first)`;
  return [sql`courses.id = any (${few}::int[])`, sql`(${few} is null and ${isOne})`];
}

/** Rows of `courses` that teach a subject or one below it, by their primary subject or by another one. */
export function teachingWithin(subjectId: number): [SQL, SQL] {
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
  // Without the offset the planner would read all of the subject's courses at once, and by `any` each subject for each course.
  const isTaught = sql`(
    courses.primary_subject_id = any (${within}) or exists (
      select from course_subjects where course_id = courses.id and array_position(${within}, subject_id) is not null offset 0))`;
  return fewOrMany(ids, isTaught);
}

/** Rows of `courses` whose title and code have the words. */
export function coursesNamed(words: string): [SQL, SQL] {
  const isNamed = sql`${has(courses.search_text, words)}`;
  return fewOrMany(sql`select id from courses where ${isNamed}`, isNamed);
}

/** `en` stands for `en-GB` as well, as `courses_language_index` has it. */
function isInLanguage(tag: string): SQL | undefined {
  const wanted = tag.toLowerCase();
  return and(
    sql`split_part(lower(${courses.language_code}), '-', 1) = ${wanted.split("-")[0]}`,
    wanted.includes("-") ? sql`lower(${courses.language_code}) = ${wanted}` : undefined,
  );
}
