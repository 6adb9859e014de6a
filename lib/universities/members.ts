import { sql } from "drizzle-orm";
import * as z from "zod";
import { Member } from "../../schema/api/members.ts";
import { requestFacts } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import { can } from "../rbac/policy.ts";
import { ensureIn, getUniversity } from "./universities.ts";

/** Where someone is one of a university's people. */
export type MemberPath = { university_id: number; user_id: number };

const Found = z.object({ is_above: z.boolean() });

/**
 * Suspends someone at a university, whose rights there count for nothing then, or restores them. 404 for who is none of
 * its people, 403 for who administers the platform, 400 for oneself.
 */
export async function setMemberActive(
  db: Db,
  actor: Actor,
  { university_id, user_id }: MemberPath,
  wanted: boolean,
): Promise<Member> {
  await ensureIn(db, actor, "user:deactivate", university_id);
  if (user_id === actor.id) throw badRequest("Nobody suspends themselves");
  const isAbove = can(actor.roles, "user:deactivate-anyone")
    ? sql`false`
    : sql`exists (select from user_university_roles where user_id = ${user_id} and role = 'platform_admin')`;
  const [member] = await rowsOf(
    db,
    Member,
    sql`
      with reached as materialized (select 1 where not ${isAbove})
      select ${university_id}::int as university_id, users.id as user_id, full_name, email, ${wanted}::boolean as is_active
      from reached cross join users
      where users.id = ${user_id} and users.erased_at is null
        and set_member_active(${university_id}, users.id, ${wanted}, ${actor.id}, ${requestFacts()}::jsonb)`,
  );
  if (member) return member;
  await getUniversity(db, university_id);
  const [found] = await rowsOf(
    db,
    Found,
    sql`select ${isAbove} as is_above from known_at(${user_id}) as known where university_id = ${university_id} limit 1`,
  );
  throw found?.is_above ? forbidden() : notFound("Member");
}
