import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  UniversityDomain,
  type UniversityDomainQuery,
} from "../../../schema/api/identity/university-domains.ts";
import { universityDomains } from "../../../schema/db/identity/university-domains.ts";
import { badRequest, fieldValueMessagePlaceholders, notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { insertAuditEventsQuery } from "../audit/record.ts";
import type { Actor } from "../auth/actor.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "./universities.ts";

/** A domain's id is valid only within its university. */
export type DomainPath = { university_id: number; university_domain_id: number };

const one = alias(universityDomains, "one");

const columns = {
  id: one.id,
  university_id: one.university_id,
  domain: one.domain,
  created_at: one.created_at,
};

export const universityDomainsSql = (university: SQLWrapper): SQL => sql`(
  select coalesce(array_agg(domain order by domain), '{}') from university_domains where university_id = ${university})`;

/** 404 without the university, 403 for non-administrators. */
export async function listDomains(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: UniversityDomainQuery,
): Promise<JsonListPage<UniversityDomain>> {
  await ensureAllowedInUniversity(db, actor, "university-domain:read", universityId);
  const page = createPageQuery(query, [ascending(one.id)]);
  const wanted = eq(one.university_id, universityId);
  return queryJsonPage(db, page.rows(columns, sql`university_domains as one`, wanted));
}

/** The platform must verify the domain's owner. 404 without the university, 400 if it has the domain. */
export async function addDomain(
  db: Db,
  actor: Actor,
  universityId: number,
  domain: string,
): Promise<UniversityDomain> {
  const act = { action: "university_domain.granted", ...actOf(actor) } as const;
  const statement = sql`
    with one as (
      insert into university_domains (university_id, domain) values (${universityId}, ${domain})
      on conflict do nothing returning *
    ), audited as (${insertAuditEventsQuery(act, sql`one`)})
    select ${wireColumnsSql(columns)} from one`;
  const [added] = await rowsOf(db, UniversityDomain, statement).catch(rethrowMissingUniversityAsNotFound);
  if (!added)
    throw badRequest("already_taken", fieldValueMessagePlaceholders("University", "domain", domain));
  return added;
}

const Removed = z.object({ id: z.int() });

/** 404 if the university has none with that id. */
export async function removeDomain(db: Db, actor: Actor, path: DomainPath): Promise<void> {
  const at = and(eq(one.id, path.university_domain_id), eq(one.university_id, path.university_id));
  const act = { action: "university_domain.removed", ...actOf(actor) } as const;
  const statement = sql`
    with removed as (delete from university_domains as one where ${at} returning *),
      audited as (${insertAuditEventsQuery(act, sql`removed as one`)})
    select id from removed`;
  if ((await rowsOf(db, Removed, statement)).length > 0) return;
  await getUniversity(db, path.university_id);
  throw notFound("Domain");
}

const actOf = (actor: Actor) => ({
  actor: actor.id,
  university: sql`one.university_id`,
  details: sql`jsonb_build_object('domain', one.domain)`,
});
