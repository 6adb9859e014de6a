import { and, sql } from "drizzle-orm";
import * as z from "zod";
import { type FinalGradeQuery, FinalGrades } from "../../../schema/api/assessment/final-grades.ts";
import { nameOnRecord } from "../../../schema/db/identity/users.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import { latestExternalIdSql, memberJoinSql } from "../../identity/users/member-names.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { csvText } from "../../platform/readers/csv.ts";
import {
  cursorOfThisDatabaseCondition,
  parseEventCursor,
  settledAfterCursorCondition,
  staleCursorError,
} from "./cursor.ts";

const Grades = z.object({
  grades: FinalGrades.shape.grades,
  is_known: z.boolean(),
  is_there: z.boolean(),
  oldest: z.string().nullable(),
});

/**
 * For a student records system: current states, in order of last change, after all older transactions have
 * ended. Readers miss no change and get a changed grade again, also when it is reopened. 404 without the
 * university, 403 for non-administrators and keys without the scope, 410 if the cursor's events were deleted.
 */
export async function readFinalGrades(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { since, term_id, limit }: FinalGradeQuery,
): Promise<FinalGrades> {
  await ensureAllowedInUniversity(db, actor, "final-grade:read", universityId);
  const cursor = parseEventCursor(since);
  const isOfTerm = term_id === undefined ? undefined : sql`run.term_id = ${term_id}`;
  const [row] = await rowsOf(
    db,
    Grades,
    sql`
      with own as materialized (
        select own.*, run.course_id, run.term_id
        from course_grades as own join course_offerings as run on run.id = own.course_offering_id
        where ${and(sql`own.university_id = ${universityId}`, settledAfterCursorCondition(cursor, sql`own.change_number`, sql`own.id`), isOfTerm)}
        order by own.change_number, own.id limit ${limit}
      )
      select coalesce(json_agg(json_build_object(
        'change_number', own.change_number || '-' || own.id, 'user_id', own.user_id,
        'full_name', coalesce(name_at_university(member), ${nameOnRecord}),
        'external_id', ${latestExternalIdSql(sql`own.university_id`, sql`own.user_id`)},
        'given_name', member.given_name, 'family_name', member.family_name,
        'course_id', own.course_id, 'course_code', course.code, 'course_offering_id', own.course_offering_id,
        'offering_external_id', (
          select known.sourced_id from sourced_offerings as known
          where known.course_offering_id = own.course_offering_id order by known.id desc limit 1),
        'term_id', own.term_id, 'is_final', own.graded_at is not null,
        'final_score', own.final_score::float8, 'letter_grade', own.letter_grade, 'passed', own.passed,
        'graded_at', ${momentForm(sql`own.graded_at`)}, 'is_outdated', own.outdated_at is not null
      ) order by own.change_number, own.id), '[]') as grades, ${cursorOfThisDatabaseCondition(cursor)} as is_known,
      exists (select from universities where id = ${universityId}) as is_there,
      case when not ${cursorOfThisDatabaseCondition(cursor)} then (
        select change_number || '-' || id from course_grades
        where university_id = ${universityId} order by change_number, id limit 1
      ) end as oldest
      from own
      join courses as course on course.id = own.course_id
      join users on users.id = own.user_id
      ${memberJoinSql(sql`own.university_id`, sql`own.user_id`)}`,
  );
  if (!row?.is_there) throw notFound("University");
  if (!row.is_known) throw staleCursorError(row.oldest);
  const { grades } = row;
  return { grades, next: grades.at(-1)?.change_number ?? since ?? null };
}

const columns = [
  ...["user_id", "external_id", "full_name", "given_name", "family_name"],
  ...["course_id", "course_code", "course_offering_id", "offering_external_id", "term_id"],
  ...["is_final", "final_score", "letter_grade", "passed", "graded_at", "is_outdated", "change_number"],
] as const satisfies (keyof FinalGrades["grades"][number])[];

/** With the columns of the JSON. */
export const finalGradesCsv = ({ grades }: FinalGrades): string =>
  csvText([columns, ...grades.map((grade) => columns.map((name) => grade[name]))]);
