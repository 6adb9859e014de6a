import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Accommodation,
  type AccommodationGrant,
  type AccommodationQuery,
} from "../../../schema/api/courses/accommodations.ts";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { accommodations } from "../../../schema/db/courses/accommodations.ts";
import { forbidden, notFound } from "../../errors.ts";
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
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import { sortKeysForParameter } from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../permitted-offering.ts";

/*
 * A university grants these to its members, by the matching permission:
 * schema/functions/courses/accommodations.sql.
 */

const { user_id, time_factor, extra_days, valid_until, updated_at } = accommodations;
const columns = {
  ...{ user_id, time_factor, extra_days, valid_until, updated_at },
  full_name: typedSql(z.string())`coalesce(name_at_university(member), member.full_name)`,
  email: typedSql(z.string())`member.email`,
};
const withMember = sql`accommodations join university_members as member
  on member.university_id = accommodations.university_id and member.user_id = accommodations.user_id`;

const permitted = (actor: Actor, universityId: number): SQL =>
  universityIfRightHeldQuery(actor, universityId, "accommodation:write");

const sorts = { id: [], full_name: memberNameSortKeys };

/** 404 without the university, 403 without the permission. */
export async function listAccommodations(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { q, sort, ...window }: AccommodationQuery,
): Promise<JsonListPage<Accommodation>> {
  const listed = await queryJsonPageOfOwner<Accommodation>(
    db,
    sql`(${permitted(actor, universityId)}) as permitted`,
    createPageQuery(window, sortKeysForParameter(sort, sorts, user_id)).rows(
      columns,
      withMember,
      and(sql`accommodations.university_id = permitted.id`, memberSearchCondition(universityId, q)),
    ),
  );
  return listed ?? explainUniversityRightRefusal(db, universityId);
}

/** For an offering's staff, of people enrolled there; else 404 or 403. */
export async function listOfferingAccommodations(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  window: Pagination,
): Promise<JsonListPage<Accommodation>> {
  const listed = await queryJsonPageOfOwner<Accommodation>(
    db,
    sql`(${permittedOfferingQuery(actor, "attempt:read", offeringId)}) as permitted`,
    createPageQuery(window, [ascending(user_id)]).rows(
      columns,
      withMember,
      sql`accommodations.university_id = permitted.university_id and exists (
        select from enrollments where course_offering_id = permitted.offering_id and user_id = accommodations.user_id)`,
    ),
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}

/**
 * Changes the previous accommodation. Open attempts get the later end, and lateness is re-evaluated. 404 for
 * non-members, 403 for the caller's own or without the permission.
 */
export async function grantAccommodation(
  db: Db,
  actor: Actor,
  universityId: number,
  { user_id, email, external_id, ...numbers }: AccommodationGrant,
  now: Date,
): Promise<Accommodation> {
  const [granted] = await rowsOf(
    db,
    Accommodation,
    sql`
      with permitted as materialized (${permitted(actor, universityId)}),
      named as materialized (${namedMemberQuery(universityId, { user_id, email, external_id })}),
      accommodations as materialized (
        select one.* from permitted join named on named.user_id <> ${actor.id}
        cross join lateral grant_accommodation_and_extend_work(permitted.id, named.user_id, ${JSON.stringify(numbers)}::jsonb, ${actor.id},
          ${now.toISOString()}, ${requestAuditJson()}::jsonb) as one
      )
      select ${wireColumnsSql(columns)} from ${withMember}`,
  );
  return granted ?? explainGrantRefusal(db, actor, universityId, { user_id, email, external_id });
}

async function explainGrantRefusal(
  db: Db,
  actor: Actor,
  universityId: number,
  named: NamedPerson,
): Promise<never> {
  await ensureUniversityRight(db, permitted(actor, universityId), universityId);
  const found = await db.execute(namedMemberQuery(universityId, named));
  throw found.rows.length === 0 ? notFound("Member") : forbidden();
}

/** Open attempts keep their end. 404 if there is none, 403 as above. */
export async function withdrawAccommodation(
  db: Db,
  actor: Actor,
  { university_id, user_id }: { university_id: number; user_id: number },
): Promise<void> {
  const act = {
    action: "accommodation.withdrawn",
    actor: actor.id,
    subject: sql`withdrawn.user_id`,
    university: sql`withdrawn.university_id`,
  } as const;
  const { rows } = await db.execute(sql`
    with permitted as materialized (${permitted(actor, university_id)}),
    withdrawn as (
      delete from accommodations using permitted
      where university_id = permitted.id and user_id = ${user_id} and user_id <> ${actor.id}
      returning accommodations.*
    ), audited as (${insertAuditEventsQuery(act, sql`withdrawn`)})
    select user_id from withdrawn`);
  if (rows.length > 0) return;
  await ensureUniversityRight(db, permitted(actor, university_id), university_id);
  throw user_id === actor.id ? forbidden() : notFound("Accommodation");
}
