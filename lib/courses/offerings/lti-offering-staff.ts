import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  OfferingStaff,
  type OfferingStaffQuery,
  type OfferingStaffUpdate,
} from "../../../schema/api/courses/offering-staff.ts";
import { offeringStaff } from "../../../schema/db/integrations/lti-contexts.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../permitted-offering.ts";

/** The id is unique within its offering. */
export type StaffPath = { offering_id: number; offering_staff_id: number };

const one = alias(offeringStaff, "one");

const columns = {
  id: one.id,
  user_id: one.user_id,
  full_name: sql<string>`(select full_name from users where id = one.user_id)`,
  role: one.role,
  source: one.source,
  lti_context_id: one.lti_context_id,
  context_title: sql<string | null>`bound.title`,
  platform_name: sql<string | null>`(select name from lti_platforms where id = bound.platform_id)`,
  created_at: one.created_at,
  removed_at: one.removed_at,
};

/** Staff that LMSs assigned. Returns 404, or 403 without the right to manage members. */
export async function listStaff(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  query: OfferingStaffQuery,
): Promise<JsonListPage<OfferingStaff>> {
  const listed = await queryJsonPageOfOwner<OfferingStaff>(
    db,
    sql`(${permittedOfferingQuery(actor, "enrollment:manage", offeringId)}) as permitted`,
    createPageQuery(query, [ascending(one.id)]).rows(
      columns,
      sql`offering_staff as one left join lti_contexts as bound on bound.id = one.lti_context_id`,
      eq(one.course_offering_id, sql`permitted.offering_id`),
    ),
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}

const Changed = z.object({ staff: OfferingStaff.nullable() });

/**
 * Removes or restores staff that an LMS assigned. 404, or 403 without the right to write the offering; 404
 * for people who are not its staff.
 */
export async function removeOrRestoreStaff(
  db: Db,
  actor: Actor,
  { offering_id, offering_staff_id }: StaffPath,
  { is_removed }: OfferingStaffUpdate,
): Promise<OfferingStaff> {
  const [changed] = await rowsOf(
    db,
    Changed,
    sql`
      with permitted as materialized (${permittedOfferingQuery(actor, "offering:write", offering_id)}), one as materialized (
        select changed.* from permitted cross join remove_or_restore_lti_staff(
          permitted.offering_id, ${offering_staff_id}, ${is_removed}, ${actor.id}, ${requestAuditJson()}::jsonb) as changed)
      select (
        select to_json(shown) from (
          select ${wireColumnsSql(columns)} from one left join lti_contexts as bound on bound.id = one.lti_context_id
          where one.id is not null
        ) as shown) as staff
      from permitted`,
  );
  if (!changed) return explainOfferingRefusal(db, actor, offering_id);
  if (!changed.staff) throw notFound("Staff of the offering");
  return changed.staff;
}
