import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { LtiRoster, LtiRosterRequest } from "../../../schema/api/integrations/lti-rosters.ts";
import { ltiContexts } from "../../../schema/db/integrations/lti-contexts.ts";
import { ltiRosters } from "../../../schema/db/integrations/lti-rosters.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

export type RosterPath = { offering_id: number; lti_context_id: number };

const bound = alias(ltiContexts, "bound");
const roster = alias(ltiRosters, "roster");

const columns = {
  lti_context_id: bound.id,
  course_offering_id: bound.course_offering_id,
  platform_name: sql<string>`(select name from lti_platforms where id = bound.platform_id)`,
  title: bound.title,
  is_offered: sql<boolean>`bound.memberships_url is not null`,
  state: roster.state,
  mode: roster.mode,
  due_at: roster.due_at,
  ended_at: roster.ended_at,
  taken_at: roster.taken_at,
  counts: roster.counts,
  failure: roster.failure,
};

/** Bound LMS courses, each with its roster; 404, or 403 for callers who do not manage its members. */
export async function listRosters(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  query: { skip: number; limit: number },
): Promise<JsonListPage<LtiRoster>> {
  const listed = await queryJsonPageOfOwner<LtiRoster>(
    db,
    sql`(${permittedOfferingQuery(actor, "enrollment:manage", offeringId)}) as permitted`,
    createPageQuery(query, [ascending(bound.id)]).rows(
      columns,
      sql`lti_contexts as bound left join lti_rosters as roster on roster.context_id = bound.id`,
      eq(bound.course_offering_id, sql`permitted.offering_id`),
    ),
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}

/** For the row of `own`. Mode `CONFIRMED` is for a roster that awaits confirmation. */
export const requestRosterSyncQuery = (mode: LtiRosterRequest["mode"], asker: number, moment: string): SQL =>
  mode === "CONFIRMED"
    ? sql`
      update lti_rosters set state = 'asked', mode = 'confirmed', asked_by_user_id = ${asker}, due_at = ${moment}, tries = 0,
        failure = null, updated_at = ${moment}
      from own where context_id = own.id and own.memberships_url is not null and state = 'waiting' returning context_id`
    : sql`
      insert into lti_rosters as one (context_id, state, mode, asked_by_user_id, due_at, created_at, updated_at)
      select own.id, 'asked', ${mode.toLowerCase()}, ${asker}::int, ${moment}::timestamptz, ${moment}::timestamptz, ${moment}::timestamptz
      from own where own.memberships_url is not null
      on conflict (context_id) do update set
        state = 'asked', mode = excluded.mode, asked_by_user_id = excluded.asked_by_user_id, due_at = excluded.due_at, tries = 0,
        failure = null, updated_at = excluded.updated_at
      returning context_id`;

export const rosterRequestRefusalReasonSql = sql`
  case when own.memberships_url is null then 'none' when not exists (select from asked) then 'not waiting' end`;

const Asked = z.object({ is_bound: z.boolean(), refusal: z.string().nullable() });

/**
 * Requests a roster within a minute. 404, or 403 for callers who do not manage members; 404 for an unbound
 * LMS course; 400 if the LMS has no roster, or nothing awaits confirmation.
 */
export async function requestRosterSync(
  db: Db,
  actor: Actor,
  { offering_id, lti_context_id }: RosterPath,
  { mode }: LtiRosterRequest,
  now: Date,
): Promise<void> {
  const [done] = await rowsOf(
    db,
    Asked,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "enrollment:manage", offering_id)}),
      own as materialized (
        select one.id, one.memberships_url from permitted join lti_contexts as one
        on one.course_offering_id = permitted.offering_id and one.id = ${lti_context_id}
      ), asked as (${requestRosterSyncQuery(mode, actor.id, now.toISOString())})
      select own.id is not null as is_bound, ${rosterRequestRefusalReasonSql} as refusal from permitted left join own on true`,
  );
  if (!done) return explainOfferingRefusal(db, actor, offering_id);
  if (!done.is_bound) throw notFound("LTI context");
  if (done.refusal === "none") throw badRequest("no_roster_service");
  if (done.refusal) throw badRequest("no_roster_waiting");
}
