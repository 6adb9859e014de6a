import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type {
  LtiToolLaunch,
  NavigationTool,
  NavigationToolQuery,
} from "../../../schema/api/integrations/lti-tools.ts";
import { ltiTools } from "../../../schema/db/integrations/lti-tools.ts";
import {
  ensureDiscussionAccess,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
} from "../../courses/discussion-access.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { deploymentIdQuery, toolAvailableToUniversityCondition } from "./deployments.ts";
import {
  createToolLaunch,
  launcherColumnsSql,
  launcherShape,
  launchRoleOf,
  toolColumnsSql,
  toolShape,
} from "./launch.ts";

/* Tools in the navigation of offerings. Their resource link is the offering itself. */

const tool = alias(ltiTools, "tool");

/** On `tool` and `courses`. */
const availableCondition = sql`${toolAvailableToUniversityCondition(sql`courses.university_id`)} and tool.in_navigation
  and exists (${deploymentIdQuery(sql`courses.id`, sql`courses.university_id`)})`;

/** 404 for a hidden offering, 403 for people who take no part in it. */
export async function listNavigationTools(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  query: NavigationToolQuery,
): Promise<JsonListPage<NavigationTool>> {
  const listed = await queryJsonPageOfOwner<NavigationTool>(
    db,
    sql`${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}`,
    createPageQuery(query, [ascending(tool.id)]).rows(
      { id: tool.id, name: tool.name },
      sql`lti_tools as tool`,
      availableCondition,
    ),
  );
  if (listed) return listed;
  await ensureDiscussionAccess(db, actor, offeringId);
  throw notFound("Offering");
}

const Launchable = z.object({ ...toolShape, ...launcherShape, university_id: z.int(), course_id: z.int() });

/** 404 for a tool that is not in the navigation, 403 for people without a seat who are not staff. */
export async function startNavigationLaunch(
  parts: Pick<Deps, "config" | "now"> & { db: ReadDb },
  actor: Actor,
  { offering_id, lti_tool_id }: { offering_id: number; lti_tool_id: number },
  service: string,
): Promise<LtiToolLaunch> {
  const [found] = await rowsOf(
    parts.db,
    Launchable,
    sql`
      select ${toolColumnsSql}, courses.university_id, courses.id as course_id,
             ${launcherColumnsSql(actor, offering_id)}
      from ${offeringsWithCoursesSql}
      join lti_tools as tool on ${availableCondition}
      where course_offerings.id = ${offering_id} and tool.id = ${lti_tool_id} and ${readableDiscussionsCondition(actor)}`,
  );
  if (!found) {
    await ensureDiscussionAccess(parts.db, actor, offering_id);
    throw notFound("LTI tool");
  }
  return createToolLaunch(parts, actor, found, service, {
    target: found.launch_url ?? "",
    role: launchRoleOf(found),
    offering_id,
  });
}
