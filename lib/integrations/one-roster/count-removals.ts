import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ImportRow } from "../imports/import-row.ts";

const Counted = z.object({ people: z.int(), people_gone: z.int(), seats: z.int(), seats_gone: z.int() });

/**
 * People and seats that the rows would remove, and the larger share of the university's people and seats with an id
 * of the source.
 */
export async function countRemovals(
  db: ReadDb,
  university: number,
  rows: readonly ImportRow[],
): Promise<{ removals: number; share: number }> {
  const removed = rows.filter(({ is_deletion, refusal }) => is_deletion && refusal === undefined);
  if (removed.length === 0) return { removals: 0, share: 0 };
  const people = removed.flatMap(({ kind, sourced_id }) => (kind === "person" ? [sourced_id] : []));
  const seats = removed.flatMap(({ kind, sourced_id, details }) =>
    kind === "enrollment" ? [{ person: sourced_id, class: details["class_sourced_id"] }] : [],
  );
  const [counted] = await rowsOf(
    db,
    Counted,
    sql`
      with person as (
        select known.user_id, bool_or(known.sourced_id = any (${sql.param(people)}::text[])) as is_gone
        from sourced_people as known
        where known.university_id = ${university} and exists (
          select from user_university_roles as held
          where held.user_id = known.user_id and held.university_id = ${university})
        group by known.user_id
      ), gone as (
        select distinct leaver.user_id, run.course_offering_id
        from jsonb_to_recordset(${JSON.stringify(seats)}::jsonb) as listed (person text, class text)
        join sourced_people as leaver on leaver.university_id = ${university} and leaver.sourced_id = listed.person
        join sourced_offerings as run on run.university_id = ${university} and run.sourced_id = listed.class
      ), seat as (
        select distinct seat.id, gone.user_id is not null as is_gone
        from sourced_offerings as run
        join enrollments as seat on seat.course_offering_id = run.course_offering_id
          and seat.status in ('active', 'pending', 'waitlisted')
        left join gone on gone.user_id = seat.user_id and gone.course_offering_id = seat.course_offering_id
        where run.university_id = ${university}
      )
      select (select count(*)::int from person) as people,
             (select count(*)::int from person where is_gone) as people_gone,
             (select count(*)::int from seat) as seats, (select count(*)::int from seat where is_gone) as seats_gone`,
  );
  if (!counted) return { removals: 0, share: 0 };
  return {
    removals: counted.people_gone + counted.seats_gone,
    share: Math.max(
      counted.people_gone / Math.max(1, counted.people),
      counted.seats_gone / Math.max(1, counted.seats),
    ),
  };
}
