import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  DataRequest,
  type DataRequestCreate,
  type DataRequestDecision,
  type DataRequestQuery,
} from "../../../schema/api/operations/data-requests.ts";
import { dataRequests } from "../../../schema/db/operations/data-requests.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { namedMemberQuery } from "../../identity/identities/member-named.ts";
import {
  ensureUniversityRight,
  explainUniversityRightRefusal,
  universityIfRightHeldQuery,
} from "../../identity/universities/offices.ts";
import { memberNameSortKeys, memberSearchCondition } from "../../identity/users/member-names.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import { sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

/*
 * One person records a data subject request and another decides on it:
 * schema/functions/operations/data-requests.sql.
 */

/** A request's id is valid only within its university. */
export type DataRequestPath = { university_id: number; data_request_id: number };

/** At the university, members or not. */
const nameOf = (person: SQL) => typedSql(z.string().nullable())`(
  select coalesce(name_at_university(staff), users.full_name) from users
  left join university_members as staff on staff.university_id = data_requests.university_id and staff.user_id = users.id
  where users.id = ${person} and users.erased_at is null)`;

const { id, university_id, user_id, kind, state, received_on, correction, ...rest } = dataRequests;
const { made_by_user_id, made_at, decided_by_user_id, decided_at, reason, done_at, available_until } = rest;
const columns = {
  ...{ id, university_id, user_id },
  full_name: typedSql(z.string().nullable())`coalesce(name_at_university(member), member.full_name)`,
  email: typedSql(z.string().nullable())`nullif(member.email, '')`,
  ...{ kind, state, received_on },
  due_on: typedSql(z.string())`(data_requests.received_on + interval '1 month')::date`,
  ...{ correction, made_by_user_id, made_by_name: nameOf(sql`data_requests.made_by_user_id`), made_at },
  ...{ decided_by_user_id, decided_by_name: nameOf(sql`data_requests.decided_by_user_id`), decided_at },
  ...{ reason, done_at, available_until },
};
const withMember = sql`data_requests left join university_members as member
  on member.university_id = data_requests.university_id and member.user_id = data_requests.user_id`;

export const universityWithDataRequestRightQuery = (actor: Actor, universityId: number): SQL =>
  universityIfRightHeldQuery(actor, universityId, "data-request:write");

const sorts = { id: [], received_on: [received_on], full_name: memberNameSortKeys };

/** Except the caller's own. 404 without the university, 403 without the permission. */
export async function listDataRequests(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { q, state: wanted, sort, ...window }: DataRequestQuery,
): Promise<JsonListPage<DataRequest>> {
  const filter = and(
    sql`data_requests.university_id = permitted.id and data_requests.user_id <> ${actor.id}`,
    wanted ? sql`data_requests.state = ${wanted.toLowerCase()}` : undefined,
    memberSearchCondition(universityId, q),
  );
  const listed = await queryJsonPageOfOwner<DataRequest>(
    db,
    sql`(${universityWithDataRequestRightQuery(actor, universityId)}) as permitted`,
    createPageQuery(window, sortKeysForParameter(sort, sorts, id)).rows(columns, withMember, filter),
  );
  return listed ?? explainUniversityRightRefusal(db, universityId);
}

const Asked = z.object({ person: z.int().nullable(), is_future: z.boolean(), made: DataRequest.nullable() });

/**
 * Audited. 404 for non-members. 403 for the caller's own and without the permission. 400 for a future date or
 * a duplicate of an open request.
 */
export async function makeDataRequest(
  db: Db,
  actor: Actor,
  universityId: number,
  { kind: asked, received_on: day, correction: wanted, ...named }: DataRequestCreate,
  now: Date,
): Promise<DataRequest> {
  const at = now.toISOString();
  const act = {
    action: "data_request.made",
    actor: actor.id,
    subject: sql`data_requests.user_id`,
    university: sql`data_requests.university_id`,
    details: sql`jsonb_build_object('request_id', data_requests.id, 'kind', data_requests.kind)`,
  } as const;
  const [written] = await rowsOf(
    db,
    Asked,
    sql`
      with permitted as materialized (${universityWithDataRequestRightQuery(actor, universityId)}),
      asked as materialized (
        select permitted.id as university_id, named.user_id, coalesce(${day ?? null}::date, today.day) as received_on,
               coalesce(${day ?? null}::date > today.day, false) as is_future
        from permitted join universities as place on place.id = permitted.id
        cross join lateral (select (${at}::timestamptz at time zone place.time_zone)::date as day) as today
        left join (${namedMemberQuery(universityId, named)}) as named on true
      ),
      data_requests as (
        insert into data_requests (university_id, user_id, kind, received_on, correction, made_by_user_id, made_at)
        select university_id, user_id, ${asked.toLowerCase()}, received_on, ${wanted ? JSON.stringify(wanted) : null}::jsonb,
               ${actor.id}, ${at}
        from asked where user_id <> ${actor.id} and not is_future
        on conflict do nothing returning *
      ), audited as (${insertAuditEventsQuery(act, sql`data_requests`)})
      select asked.user_id as person, asked.is_future, (
        select row_to_json(one) from (select ${wireColumnsSql(columns)} from ${withMember}) as one) as made
      from asked`,
  );
  if (written?.made) return written.made;
  if (!written) return explainUniversityRightRefusal(db, universityId);
  if (written.person === null) throw notFound("Member");
  if (written.person === actor.id) throw forbidden("own_data_request");
  throw badRequest(written.is_future ? "data_request_future" : "data_request_open");
}

const refusals = {
  own_data_request: () => forbidden("own_data_request"),
  data_request_four_eyes: () => forbidden("data_request_four_eyes"),
  data_request_decided: () => badRequest("data_request_decided"),
  data_request_held: () => badRequest("data_request_held"),
  data_request_administrator: () => badRequest("data_request_administrator"),
  data_request_no_member: () => badRequest("data_request_no_member"),
  data_request_external_id_taken: () => badRequest("data_request_external_id_taken"),
};

const Decided = z.object({
  refusal: z.enum(Object.keys(refusals) as (keyof typeof refusals)[]).nullable(),
  decided: DataRequest,
});

/**
 * Approves a request, which starts it, or rejects it. Notifies the person; audited. 404 without the request.
 * 403 for its creator (approval only), its subject, and without the permission. 400 if it is decided already
 * or the correction is invalid.
 */
export async function decideDataRequest(
  db: Db,
  actor: Actor,
  { university_id: universityId, data_request_id }: DataRequestPath,
  { approve, reason: why = undefined }: DataRequestDecision,
  now: Date,
): Promise<DataRequest> {
  const [outcome] = await rowsOf(
    db,
    Decided,
    sql`
      with permitted as materialized (${universityWithDataRequestRightQuery(actor, universityId)}),
      done as materialized (
        select one.* from permitted cross join lateral approve_or_reject_data_request(permitted.id, ${data_request_id}, ${actor.id},
          ${approve}, ${why ?? null}, ${now.toISOString()}, ${requestAuditJson()}::jsonb) as one
      )
      select done.refusal, (
        select row_to_json(one) from (
          select ${wireColumnsSql(columns)} from (select (done.decided).*) as data_requests,
            (select (done.member).*) as member) as one) as decided
      from done`,
  );
  if (outcome && !outcome.refusal) return outcome.decided;
  if (outcome?.refusal) throw refusals[outcome.refusal]();
  return explainMissingDataRequest(db, actor, universityId);
}

/** 404 or 403 of the permission, else 404. */
export async function explainMissingDataRequest(db: Db, actor: Actor, universityId: number): Promise<never> {
  await ensureUniversityRight(db, universityWithDataRequestRightQuery(actor, universityId), universityId);
  throw notFound("Data request");
}
