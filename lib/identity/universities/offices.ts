import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { MyOffice, Office, type OfficeGrant } from "../../../schema/api/courses/accommodations.ts";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import { universityOffices } from "../../../schema/db/courses/accommodations.ts";
import type { AuditAction, OfficeRight } from "../../../schema/enums.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import { tokenReachCondition } from "../auth/token-reach.ts";
import { namedMemberQuery } from "../identities/member-named.ts";
import { ensureAllowedInUniversity, getUniversity } from "./universities.ts";

/* Rights beyond roles, which a university grants to its members. The granter does not get them. */

const withHolder = sql`university_offices join university_members as member
  on member.university_id = university_offices.university_id and member.user_id = university_offices.user_id`;

const { id, university_id, user_id, office_right, granted_at } = universityOffices;
const columns = {
  ...{ id, university_id, user_id, right: office_right, granted_at },
  full_name: typedSql(z.string())`coalesce(name_at_university(member), member.full_name)`,
  email: typedSql(z.string())`member.email`,
};

/** 404 without the university, 403 for non-administrators. */
export async function listOffices(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  window: Pagination,
): Promise<JsonListPage<Office>> {
  await ensureAllowedInUniversity(db, actor, "office:grant", universityId);
  const page = createPageQuery(window, [ascending(id)]);
  const found = await queryJsonPage<Office>(
    db,
    page.rows(columns, withHolder, sql`university_offices.university_id = ${universityId}`),
  );
  if (found.text === "[]") await getUniversity(db, universityId);
  return found;
}

/**
 * Audited. 404 for non-members, 403 for the caller's own account and for non-administrators, 400 if already
 * granted.
 */
export async function grantOffice(
  db: Db,
  actor: Actor,
  universityId: number,
  { right, ...named }: OfficeGrant,
): Promise<Office> {
  await ensureAllowedInUniversity(db, actor, "office:grant", universityId);
  const [granted] = await written(
    db,
    actor,
    "office.granted",
    sql`
    insert into university_offices (university_id, user_id, office_right)
    select ${universityId}, user_id, ${right} from (${namedMemberQuery(universityId, named)}) as named
    cross join lateral raise_if_university_inactive(${universityId}::int) as active
    where user_id <> ${actor.id}
    on conflict do nothing returning *`,
  );
  if (granted) return granted;
  await getUniversity(db, universityId);
  const [found] = (await db.execute(namedMemberQuery(universityId, named))).rows;
  if (!found) throw notFound("Member");
  if (found["user_id"] === actor.id) throw forbidden();
  throw badRequest("office_held", { right });
}

/** In a university that has not suspended the person. */
export const universityRightCondition = (person: SQL, university: SQL, right: SQL): SQL => sql`(
  exists (
    select from university_offices as office
    where office.user_id = ${person} and office.university_id = ${university} and office.office_right = ${right})
  and not is_suspended(${university}, ${person}))`;

const Mine = z.object({ offices: z.array(MyOffice) });

/** Within the token's reach. */
export async function listMyOffices(db: ReadDb, actor: Actor): Promise<MyOffice[]> {
  const [mine] = await rowsOf(
    db,
    Mine,
    sql`
      select coalesce(json_agg(json_build_object('university_id', university.id, 'university_name', university.name,
        'right', held.office_right) order by university.name, held.id), '[]') as offices
      from university_offices as held join universities as university on university.id = held.university_id
      where ${and(
        sql`held.user_id = ${actor.id}`,
        tokenReachCondition(actor, sql`held.university_id`),
        universityRightCondition(sql`held.user_id`, sql`held.university_id`, sql`held.office_right`),
      )}`,
  );
  return mine?.offices ?? [];
}

/** Past effects stay. 404 if there is none, else as `grantOffice`. */
export async function revokeOffice(
  db: Db,
  actor: Actor,
  { university_id, office_id }: { university_id: number; office_id: number },
): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "office:grant", university_id);
  const revoked = await written(
    db,
    actor,
    "office.revoked",
    sql`delete from university_offices where id = ${office_id} and university_id = ${university_id} returning *`,
  );
  if (revoked.length > 0) return;
  await getUniversity(db, university_id);
  throw notFound("Office");
}

export const universityIfRightHeldQuery = (
  actor: Actor,
  universityId: number,
  right: OfficeRight,
): SQL => sql`
  select id from universities
  where ${and(
    sql`universities.id = ${universityId}`,
    tokenReachCondition(actor, sql`universities.id`),
    universityRightCondition(sql`${actor.id}::int`, sql`universities.id`, sql`${right}`),
  )}`;

/** 404 without the university, else 403. */
export async function explainUniversityRightRefusal(db: ReadDb, universityId: number): Promise<never> {
  await getUniversity(db, universityId);
  throw forbidden();
}

/** `office` comes from `universityIfRightHeldQuery`; throws as above. */
export async function ensureUniversityRight(db: ReadDb, office: SQL, universityId: number): Promise<void> {
  const { rows } = await db.execute(office);
  if (rows.length === 0) await explainUniversityRightRefusal(db, universityId);
}

async function written(
  db: Db,
  actor: Actor,
  action: AuditAction,
  write: ReturnType<typeof sql>,
): Promise<Office[]> {
  const act = {
    action,
    actor: actor.id,
    subject: sql`university_offices.user_id`,
    university: sql`university_offices.university_id`,
    details: sql`jsonb_build_object('right', university_offices.office_right)`,
  };
  return rowsOf(
    db,
    Office,
    sql`
      with university_offices as (${write}), audited as (${insertAuditEventsQuery(act, sql`university_offices`)})
      select ${wireColumnsSql(columns)} from ${withHolder}`,
  );
}
