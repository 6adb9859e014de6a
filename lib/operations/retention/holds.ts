import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { RetentionHold, type RetentionHoldCreate } from "../../../schema/api/operations/retention.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { retentionHolds } from "../../../schema/db/operations/retention.ts";
import { badRequest, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { namedMemberQuery } from "../../identity/identities/member-named.ts";
import { ensureUniversityRight, explainUniversityRightRefusal } from "../../identity/universities/offices.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { universityWithRetentionRightQuery } from "./settings.ts";

/*
 * Holds exempt a person or an offering from deletion. Placing one takes the university's row lock, as
 * deletion does, so a concurrent step respects it.
 */

const { id, university_id, user_id, course_offering_id, reason, held_until, placed_by_user_id, placed_at } =
  retentionHolds;
const columns = {
  ...{ id, university_id, user_id, course_offering_id, reason, held_until, placed_by_user_id, placed_at },
  full_name: typedSql(z.string().nullable())`coalesce(name_at_university(member), member.full_name)`,
  course_title: typedSql(z.string().nullable())`(
    select course.title from course_offerings as run join courses as course on course.id = run.course_id
    where run.id = ${course_offering_id})`,
};
const withMember = sql`retention_holds left join university_members as member
  on member.university_id = retention_holds.university_id and member.user_id = retention_holds.user_id`;

/** 404 without the university, 403 without the permission. */
export async function listRetentionHolds(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  window: Pagination,
): Promise<JsonListPage<RetentionHold>> {
  const listed = await queryJsonPageOfOwner<RetentionHold>(
    db,
    sql`(${universityWithRetentionRightQuery(actor, universityId)}) as permitted`,
    createPageQuery(window, [ascending(id)]).rows(
      columns,
      withMember,
      sql`retention_holds.university_id = permitted.id`,
    ),
  );
  return listed ?? explainUniversityRightRefusal(db, universityId);
}

const Placed = z.object({ is_over: z.boolean(), placed: RetentionHold.nullable() });

/**
 * Audited. 404 for non-members or another university's offering, 403 without the permission, 400 for a last
 * day in the past at the university.
 */
export async function placeRetentionHold(
  db: Db,
  actor: Actor,
  universityId: number,
  { course_offering_id, reason, held_until, ...named }: RetentionHoldCreate,
  now: Date,
): Promise<RetentionHold> {
  const held: SQL =
    (course_offering_id ?? null) === null
      ? sql`select user_id, null::int as course_offering_id from (${namedMemberQuery(universityId, named)}) as named`
      : sql`
        select null::int as user_id, id as course_offering_id from course_offerings
        where id = ${course_offering_id} and university_id = ${universityId}`;
  const act = {
    action: "retention.held",
    actor: actor.id,
    subject: sql`retention_holds.user_id`,
    university: sql`retention_holds.university_id`,
    details: sql`jsonb_build_object('hold_id', retention_holds.id, 'course_offering_id', retention_holds.course_offering_id,
      'held_until', retention_holds.held_until)`,
  } as const;
  const [outcome] = await rowsOf(
    db,
    Placed,
    sql`
      with permitted as materialized (${universityWithRetentionRightQuery(actor, universityId)}),
      held as materialized (
        select permitted.id, one.*, coalesce(
          ${held_until}::date < (${now.toISOString()}::timestamptz at time zone place.time_zone)::date, false) as is_over
        from permitted join universities as place on place.id = permitted.id cross join (${held}) as one
      ),
      policy as materialized (select held.*, ensure_and_lock_retention_policy(held.id) from held where not is_over),
      retention_holds as (
        insert into retention_holds (university_id, user_id, course_offering_id, reason, held_until, placed_by_user_id)
        select id, user_id, course_offering_id, ${reason}, ${held_until}::date, ${actor.id} from policy
        returning *
      ), audited as (${insertAuditEventsQuery(act, sql`retention_holds`)})
      select held.is_over, (
        select row_to_json(one) from (select ${wireColumnsSql(columns)} from ${withMember}) as one) as placed
      from held`,
  );
  if (outcome?.placed) return outcome.placed;
  if (outcome?.is_over) throw badRequest("hold_is_over");
  await ensureUniversityRight(db, universityWithRetentionRightQuery(actor, universityId), universityId);
  throw notFound((course_offering_id ?? null) === null ? "Member" : "Offering");
}

/** Audited. 404 if there is none, 403 as above. */
export async function releaseRetentionHold(
  db: Db,
  actor: Actor,
  { university_id, hold_id }: { university_id: number; hold_id: number },
): Promise<void> {
  const act = {
    action: "retention.released",
    actor: actor.id,
    subject: sql`released.user_id`,
    university: sql`released.university_id`,
    details: sql`jsonb_build_object('hold_id', released.id, 'course_offering_id', released.course_offering_id)`,
  } as const;
  const { rows } = await db.execute(sql`
    with permitted as materialized (${universityWithRetentionRightQuery(actor, university_id)}),
    released as (
      delete from retention_holds using permitted
      where university_id = permitted.id and retention_holds.id = ${hold_id} returning retention_holds.*
    ), audited as (${insertAuditEventsQuery(act, sql`released`)})
    select id from released`);
  if (rows.length > 0) return;
  await ensureUniversityRight(db, universityWithRetentionRightQuery(actor, university_id), university_id);
  throw notFound("Hold");
}
