import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  Certificate,
  CertificateQuery,
  OfferingCertificate,
  OfferingCertificateQuery,
} from "../../../schema/api/assessment/certificates.ts";
import { certificates } from "../../../schema/db/assessment/certificates.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { courseLanguageSql } from "../../courses/language.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import { latestExternalIdSql, personIdByExternalIdSql } from "../../identity/users/member-names.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import {
  containsAllWordsCondition,
  searchAndSortBy,
  sortKeysForParameter,
} from "../../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

/** Revoked before replaced before expired. */
export const certificateStateSql = (now: Date): SQL => sql`case
  when ${certificates.revoked_at} is not null then 'REVOKED'
  when ${certificates.replaced_at} is not null then 'REPLACED'
  when ${certificates.expires_at} <= ${now.toISOString()} then 'EXPIRED'
  else 'VALID' end`;

export const certificateColumns = (now: Date) => ({
  id: certificates.id,
  user_id: certificates.user_id,
  course_offering_id: certificates.course_offering_id,
  course_id: courseOfferings.course_id,
  university_id: courseOfferings.university_id,
  language_code: courseLanguageSql(sql`course_offerings.course_id`),
  certificate_code: certificates.certificate_code,
  state: certificateStateSql(now),
  printed_name: certificates.printed_name,
  course_title: certificates.course_title,
  university_name: certificates.university_name,
  completed_at: certificates.completed_at,
  issued_at: certificates.issued_at,
  expires_at: certificates.expires_at,
  revoked_at: certificates.revoked_at,
  revocation_reason: certificates.revocation_reason,
  replaced_at: certificates.replaced_at,
  replaces_id: certificates.replaces_id,
  metadata_json: certificates.metadata_json,
});

const withOfferings = sql`
  certificates join course_offerings on course_offerings.id = ${certificates.course_offering_id}`;

export async function listMyCertificates(
  db: ReadDb,
  actor: Actor,
  query: CertificateQuery,
  now: Date,
): Promise<JsonListPage<Certificate>> {
  const page = createPageQuery(query, [descending(certificates.id)]);
  const own = and(
    eq(certificates.user_id, actor.id),
    tokenReachCondition(actor, sql`course_offerings.university_id`),
  );
  return queryJsonPage(db, page.rows(certificateColumns(now), withOfferings, own));
}

const { searched, sorts } = searchAndSortBy(sql`searched(${certificates.printed_name})`, "printed_name");

const staffColumns = (now: Date) => ({
  ...certificateColumns(now),
  external_id: typedSql(
    z.string().nullable(),
  )`${latestExternalIdSql(courseOfferings.university_id, certificates.user_id)}`,
});

/** For the offering's staff; 404 if the caller cannot see it, otherwise 403. */
export async function listCertificates(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { q, user_id, external_id, state, sort, ...window }: OfferingCertificateQuery,
  now: Date,
): Promise<JsonListPage<OfferingCertificate>> {
  const asked = and(
    sql`${certificates.course_offering_id} = permitted.offering_id`,
    containsAllWordsCondition(searched, q),
    user_id ? eq(certificates.user_id, user_id) : undefined,
    external_id === undefined
      ? undefined
      : sql`${certificates.user_id} = ${personIdByExternalIdSql(courseOfferings.university_id, external_id)}`,
    state ? sql`${certificateStateSql(now)} = ${state}` : undefined,
  );
  const listed = await queryJsonPageOfOwner<OfferingCertificate>(
    db,
    sql`(${permittedOfferingQuery(actor, "certificate:read", offeringId)}) as permitted`,
    createPageQuery(window, sortKeysForParameter(sort, sorts, certificates.id)).rows(
      staffColumns(now),
      withOfferings,
      asked,
    ),
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}
