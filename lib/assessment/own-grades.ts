import { and, sql } from "drizzle-orm";
import * as z from "zod";
import { OwnGrades } from "../../schema/api/assessment/grades.ts";
import { forbidden } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { cellLatenessAndDropJsonFieldsSql, finalGradeJsonSql, gradedItemJsonFieldsSql } from "./gradebook.ts";
import { getScheme } from "./grading-schemes.ts";

const Row = z.object({ grades: OwnGrades });

/**
 * The caller's released grades, and their final grade. 404 if they cannot see the offering, 403 if they were
 * never enrolled.
 */
export async function readOwnGrades(db: ReadDb, actor: Actor, offeringId: number): Promise<OwnGrades> {
  const [row] = await rowsOf(
    db,
    Row,
    sql`
      with mine as materialized (
        select course_offering_id as offering_id, user_id from enrollments
        where course_offering_id = ${offeringId}
          and ${and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, sql`enrollments.university_id`, { offering: sql`enrollments.course_offering_id` }))}
      )
      select json_build_object(
        'course_offering_id', mine.offering_id,
        'items', (
          select coalesce(json_agg(json_build_object(${gradedItemJsonFieldsSql(sql`mine.offering_id`, sql`own_date.due_at`)},
            'score', case when item.released then cell.score::float8 end,
            'state', case when item.released then upper(cell.state) end, ${cellLatenessAndDropJsonFieldsSql}) order by item.place), '[]')
          from gradebook_items_of_offering(mine.offering_id) as item
          left join gradebook_cells_with_weights_and_drops(mine.offering_id, array[mine.user_id], own.graded_at is null, false) as cell
            on cell.item_id = item.item_id and item.released
          cross join lateral effective_dates_of_items(mine.offering_id, mine.user_id, array[item.item_id]) as own_date),
        'current_percent', total.current_percent::float8,
        'current_letter', letter_grade(scheme.letter_scale, total.current_percent),
        'final', ${finalGradeJsonSql}) as grades
      from mine
      join effective_schemes as scheme on scheme.course_offering_id = mine.offering_id
      left join current_and_final_course_percents(${offeringId}, array[${actor.id}::int], true, false) as total on true
      left join course_grades as own on own.course_offering_id = mine.offering_id and own.user_id = mine.user_id`,
  );
  if (row) return row.grades;
  await getScheme(db, actor, offeringId);
  throw forbidden("not_enrolled");
}
