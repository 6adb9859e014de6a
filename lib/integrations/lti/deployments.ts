import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import { LtiDeployment, type LtiDeploymentQuery } from "../../../schema/api/integrations/lti.ts";
import { ltiDeployments } from "../../../schema/db/integrations/lti-platforms.ts";
import { notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { ltiPlatformPathCondition, type PlatformPath, throwMissingPlatform } from "./platforms.ts";

/** The id is unique within its platform. */
export type DeploymentPath = PlatformPath & { lti_deployment_id: number };

const deployment = alias(ltiDeployments, "deployment");

const columns = {
  id: deployment.id,
  platform_id: deployment.platform_id,
  deployment_id: deployment.deployment_id,
  admitted_at: deployment.admitted_at,
  created_at: deployment.created_at,
};

/** Including pending ones; 404 if there is no platform, 403 unless administrator. */
export async function listDeployments(
  db: ReadDb,
  actor: Actor,
  path: PlatformPath,
  query: LtiDeploymentQuery,
): Promise<JsonListPage<LtiDeployment>> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const page = createPageQuery(query, [ascending(deployment.id)]);
  const wanted = sql`${eq(deployment.platform_id, path.lti_platform_id)} and exists (
    select from lti_platforms as one where ${ltiPlatformPathCondition(path)})`;
  const listed = await queryJsonPage<LtiDeployment>(
    db,
    page.rows(columns, sql`lti_deployments as deployment`, wanted),
  );
  if (listed.text === "[]") await ensurePlatform(db, path);
  return listed;
}

const Found = z.object({ id: z.int() });

async function ensurePlatform(db: ReadDb, path: PlatformPath): Promise<void> {
  const found = await rowsOf(
    db,
    Found,
    sql`select one.id from lti_platforms as one where ${ltiPlatformPathCondition(path)}`,
  );
  if (found.length === 0) await throwMissingPlatform(db, path);
}

/** Launches of a deployment, pending or unknown, are accepted from then on. */
export async function admitDeployment(
  db: Db,
  actor: Actor,
  path: PlatformPath,
  deploymentId: string,
): Promise<LtiDeployment> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  return (await admit(db, actor.id, path, deploymentId)) ?? throwMissingPlatform(db, path);
}

/** For the deployment that a platform names at its registration, in the name of that person. */
export async function admitFirstDeployment(
  db: Db,
  actorId: number,
  { university_id, id }: { university_id: number; id: number },
  deploymentId: string,
): Promise<void> {
  await admit(db, actorId, { university_id, lti_platform_id: id }, deploymentId);
}

async function admit(db: Db, actorId: number, path: PlatformPath, deploymentId: string) {
  const written = sql`
    insert into lti_deployments as deployment (platform_id, deployment_id, admitted_at)
    select one.id, ${deploymentId}, service_now() from lti_platforms as one where ${ltiPlatformPathCondition(path)} for key share
    on conflict (platform_id, deployment_id)
    do update set admitted_at = coalesce(deployment.admitted_at, excluded.admitted_at)
    returning deployment.*`;
  const [admitted] = await audited(db, actorId, path, "lti_deployment.admitted", written);
  return admitted;
}

/** Another launch makes the deployment pending. Returns 404 if the platform has none. */
export async function removeDeployment(db: Db, actor: Actor, path: DeploymentPath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const written = sql`
    delete from lti_deployments as deployment using lti_platforms as one
    where ${eq(deployment.id, path.lti_deployment_id)} and deployment.platform_id = one.id and ${ltiPlatformPathCondition(path)}
    returning deployment.*`;
  const removed = await audited(db, actor.id, path, "lti_deployment.removed", written);
  if (removed.length > 0) return;
  await ensurePlatform(db, path);
  throw notFound("LTI deployment");
}

function audited(
  db: Db,
  actorId: number,
  { university_id }: PlatformPath,
  action: "lti_deployment.admitted" | "lti_deployment.removed",
  written: SQL,
): Promise<LtiDeployment[]> {
  const details = sql`jsonb_build_object(
    'lti_platform_id', deployment.platform_id, 'deployment_id', deployment.deployment_id)`;
  const act = { action, actor: actorId, university: university_id, details };
  const statement = sql`
    with written as (${written}), audited as (${insertAuditEventsQuery(act, sql`written as deployment`)})
    select ${wireColumnsSql(columns)} from written as deployment`;
  return rowsOf(db, LtiDeployment, statement);
}
