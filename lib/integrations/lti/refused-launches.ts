import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { LtiRefusedLaunches, LtiRefusedLaunchQuery } from "../../../schema/api/integrations/lti.ts";
import { ltiRefusedLaunches } from "../../../schema/db/integrations/lti-launches.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { ltiPlatformPathCondition, type PlatformPath, throwMissingPlatform } from "./platforms.ts";
import { ltiRefusalMessages } from "./refusals.ts";

const noted = alias(ltiRefusedLaunches, "noted");

const columns = {
  id: noted.id,
  day: noted.day,
  reason: noted.reason,
  words: typedSql(
    z.string(),
  )`coalesce(${JSON.stringify(ltiRefusalMessages)}::jsonb ->> noted.reason, noted.reason)`,
  launches: noted.launches,
  last_at: noted.last_at,
  last_request_id: noted.last_request_id,
};

/** By day and reason, newest first; 404 if there is none, else 403. */
export async function listRefusedLaunchCounts(
  db: ReadDb,
  actor: Actor,
  path: PlatformPath,
  query: LtiRefusedLaunchQuery,
): Promise<JsonListPage<LtiRefusedLaunches>> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const order = [descending(createSortKey(sql`noted.day`, "date")), descending(noted.id)];
  const page = createPageQuery(query, order);
  const listed = await queryJsonPageOfOwner<LtiRefusedLaunches>(
    db,
    sql`lti_platforms as one where ${ltiPlatformPathCondition(path)}`,
    page.rows(columns, sql`lti_refused_launches as noted`, sql`noted.platform_id = one.id`),
  );
  return listed ?? throwMissingPlatform(db, path);
}
