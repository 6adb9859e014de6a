import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { LtiPerson, LtiPersonQuery, LtiTicketFacts } from "../../../schema/api/integrations/lti.ts";
import { ltiPeople } from "../../../schema/db/integrations/lti-people.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey, descending } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { linkLaunchUserToAccount } from "./contexts.ts";
import { openLaunchTicketWithKey, type TicketKeyLookup } from "./launch-ticket.ts";
import { ltiPlatformPathCondition, type PlatformPath, throwMissingPlatform } from "./platforms.ts";

/** The id is unique within the platform. */
export type PersonPath = PlatformPath & { lti_person_id: number };

const known = alias(ltiPeople, "known");

const columns = {
  id: known.id,
  platform_id: known.platform_id,
  user_id: known.user_id,
  full_name: typedSql(z.string().nullable())`(select full_name from users where users.id = known.user_id)`,
  subject: known.subject,
  told_name: known.told_name,
  linked_by: known.linked_by,
  last_launched_at: known.last_launched_at,
};

/** Last launch first; 404 if there is none, 403 unless administrator. */
export async function listPeople(
  db: ReadDb,
  actor: Actor,
  path: PlatformPath,
  query: LtiPersonQuery,
): Promise<JsonListPage<LtiPerson>> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const lastLaunch = createSortKey(
    sql`coalesce(known.last_launched_at, known.created_at)`,
    "timestamp (3) with time zone",
  );
  const page = createPageQuery(query, [descending(lastLaunch), descending(known.id)]);
  const listed = await queryJsonPageOfOwner<LtiPerson>(
    db,
    sql`lti_platforms as one where ${ltiPlatformPathCondition(path)}`,
    page.rows(columns, sql`lti_people as known`, sql`known.platform_id = one.id`),
  );
  return listed ?? throwMissingPlatform(db, path);
}

/** Removes a wrong link: revokes the access it granted, and the account's tokens. 404 if none is linked. */
export async function unlinkPerson(db: Db, actor: Actor, path: PersonPath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const [done] = await rowsOf(
    db,
    z.object({ former: z.int().nullable() }),
    sql`select unlink_lti_person_revoking_access(one.id, ${path.lti_person_id}, ${actor.id}, ${requestAuditJson()}::jsonb) as former
        from lti_platforms as one where ${ltiPlatformPathCondition(path)}`,
  );
  if (!done) await throwMissingPlatform(db, path);
  if (!done?.former) throw notFound("LTI person");
}

type Parts = Pick<Deps, "db" | "config" | "now">;

/** Links to the caller's account after they signed in; 400 for an invalid ticket or browser. */
export async function linkOwnAccount(
  parts: Parts,
  actor: Actor,
  universityId: number,
  { ticket, keyOf }: { ticket: string; keyOf: TicketKeyLookup },
): Promise<void> {
  await linkLaunchUserToAccount(
    parts.db,
    actor,
    await openLaunchTicketWithKey(parts, ticket, keyOf, universityId),
  );
}

/** 400 if the ticket is invalid, 404 if its platform was removed. */
export async function describeLaunchTicket(
  parts: Parts,
  sealed: string,
  keyOf: TicketKeyLookup,
): Promise<LtiTicketFacts> {
  const { platform_id, university_id, context, name } = await openLaunchTicketWithKey(parts, sealed, keyOf);
  const [platform] = await rowsOf(
    parts.db,
    z.object({ name: z.string() }),
    sql`select name from lti_platforms where id = ${platform_id} and university_id = ${university_id}`,
  );
  if (!platform) throw notFound("LTI platform");
  const context_title = context?.title ?? null;
  return { university_id, platform_name: platform.name, context_title, full_name: name ?? null };
}
