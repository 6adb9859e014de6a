import { sql } from "drizzle-orm";
import * as z from "zod";
import { Member, type MemberState } from "../../../schema/api/identity/members.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { Actor } from "../auth/actor.ts";
import { can } from "../rbac/policy.ts";
import { ensureAllowedInUniversity, getUniversity } from "./universities.ts";

export type MemberPath = { university_id: number; user_id: number };

const Found = z.object({ is_above: z.boolean() });

const Corrected = z.object({ is_taken: z.boolean(), member: Member.nullable() });

/**
 * Updates a member's record, suspends (which disables their rights there) or restores them. 404 for
 * non-members, 403 for platform administrators, 400 for suspending the caller or a duplicate external id.
 */
export async function updateMember(
  db: Db,
  actor: Actor,
  { university_id, user_id }: MemberPath,
  wanted: MemberState,
): Promise<Member> {
  await ensureAllowedInUniversity(db, actor, "user:deactivate", university_id);
  if (user_id === actor.id && wanted.is_active !== undefined) throw badRequest("own_suspension");
  const isAbove = can(actor.roles, "user:deactivate-anyone")
    ? sql`false`
    : sql`exists (select from user_university_roles where user_id = ${user_id} and role = 'platform_admin')`;
  const [corrected] = await rowsOf(
    db,
    Corrected,
    sql`
      with reached as materialized (
        select id from users where id = ${user_id} and erased_at is null and not ${isAbove}
      )
      select is_taken, case when not is_taken then json_build_object(
        'university_id', (member).university_id, 'user_id', (member).user_id,
        'full_name', coalesce(name_at_university(member), (member).full_name), 'email', nullif((member).email, ''),
        'external_id', external_id, 'given_name', (member).given_name, 'family_name', (member).family_name,
        'source', upper((member).source), 'is_active', (member).is_active) end as member
      from reached cross join lateral update_university_member(
        ${university_id}, reached.id, ${JSON.stringify(wanted)}::jsonb, ${actor.id}, ${requestAuditJson()}::jsonb) as corrected`,
  );
  if (corrected?.is_taken) throw badRequest("external_id_taken", { id: wanted.external_id });
  if (corrected?.member) return corrected.member;
  await getUniversity(db, university_id);
  const [found] = await rowsOf(
    db,
    Found,
    sql`select ${isAbove} as is_above from known_people where user_id = ${user_id} and university_id = ${university_id} limit 1`,
  );
  throw found?.is_above ? forbidden() : notFound("Member");
}
