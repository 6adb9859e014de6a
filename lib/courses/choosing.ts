import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { CourseQuery } from "../../schema/api/courses.ts";
import { courses } from "../../schema/db/courses.ts";

type Choice = Pick<CourseQuery, "level" | "language_code" | "credits_from" | "credits_to">;

/** Rows of `courses` that are what people choose by, but for their subject. */
export const coursesChosenBy = (choice: Choice): SQL | undefined =>
  and(
    choice.level ? eq(courses.level, choice.level) : undefined,
    choice.language_code ? isInLanguage(choice.language_code) : undefined,
    choice.credits_from === undefined ? undefined : gte(courses.credit_hours, choice.credits_from),
    choice.credits_to === undefined ? undefined : lte(courses.credit_hours, choice.credits_to),
  );

/** Of so many courses of a subject it is quicker to look through all courses in the order of the list. */
const mostToPutInOrder = 2000;

/**
 * Rows of `courses` that teach a subject or one below it, by their primary subject or by another one: two conditions, of
 * which one holds for none. A subject of few courses is read from its own side and put in order; of one that many
 * teach, courses are looked at in the order of the list until the page is full (`whereAny`).
 */
export function teachingWithin(subjectId: number): [SQL, SQL] {
  const within = sql`array(
    with recursive within as (
      select ${subjectId}::int as id
      union
      select child.id from subjects as child join within on child.parent_subject_id = within.id
    )
    select id from within)`;
  const taught = sql`(
    select course_id from course_subjects as taught where subject_id = any (${within})
    union all
    select id as course_id from courses as taught where primary_subject_id = any (${within}))`;
  const first = sql`array(select course_id from ${taught} as taught limit ${mostToPutInOrder + 1})`;
  const areFew = sql`(select cardinality(${first}) <= ${mostToPutInOrder})`;
  // Without the offset the planner would read all of the subject's courses at once, and by `any` each subject for each course.
  const isTaught = sql`(
    courses.primary_subject_id = any (${within}) or exists (
      select from course_subjects where course_id = courses.id and array_position(${within}, subject_id) is not null offset 0))`;
  return [sql`(${areFew} and courses.id = any (${first}))`, sql`(not ${areFew} and ${isTaught})`];
}

/** `en` stands for `en-GB` as well, as `courses_language_index` has it. */
function isInLanguage(tag: string): SQL | undefined {
  const wanted = tag.toLowerCase();
  return and(
    sql`split_part(lower(${courses.language_code}), '-', 1) = ${wanted.split("-")[0]}`,
    wanted.includes("-") ? sql`lower(${courses.language_code}) = ${wanted}` : undefined,
  );
}
