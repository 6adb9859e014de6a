import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { CourseQuery } from "../../schema/api/courses.ts";
import { courses } from "../../schema/db/courses.ts";

type Choice = Pick<CourseQuery, "subject_id" | "level" | "language_code" | "credits_from" | "credits_to">;

/** Rows of `courses` that are what people choose by: their subject, level, language and credits. */
export const coursesChosenBy = (choice: Choice): SQL | undefined =>
  and(
    choice.subject_id ? teachesWithin(choice.subject_id) : undefined,
    choice.level ? eq(courses.level, choice.level) : undefined,
    choice.language_code ? isInLanguage(choice.language_code) : undefined,
    choice.credits_from === undefined ? undefined : gte(courses.credit_hours, choice.credits_from),
    choice.credits_to === undefined ? undefined : lte(courses.credit_hours, choice.credits_to),
  );

/** Those of a subject and of all below it, by their primary subject or by another one. */
function teachesWithin(subjectId: number): SQL {
  const within = sql`array(
    with recursive within as (
      select ${subjectId}::int as id
      union
      select child.id from subjects as child join within on child.parent_subject_id = within.id
    )
    select id from within)`;
  return sql`${courses.id} in (
    select course_id from course_subjects where subject_id = any (${within})
    union all
    select id from courses as taught where primary_subject_id = any (${within}))`;
}

/** `en` stands for `en-GB` as well, as `courses_language_index` has it. */
function isInLanguage(tag: string): SQL | undefined {
  const wanted = tag.toLowerCase();
  return and(
    sql`split_part(lower(${courses.language_code}), '-', 1) = ${wanted.split("-")[0]}`,
    wanted.includes("-") ? sql`lower(${courses.language_code}) = ${wanted}` : undefined,
  );
}
