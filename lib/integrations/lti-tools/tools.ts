import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  type CourseLtiTool,
  type CourseLtiToolQuery,
  LtiTool,
  type LtiToolCreate,
  type LtiToolQuery,
  type LtiToolUpdate,
} from "../../../schema/api/integrations/lti-tools.ts";
import { ltiTools } from "../../../schema/db/integrations/lti-tools.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { coursePermissionCondition, visibleCourseCondition } from "../../courses/course-permissions.ts";
import { badRequest, forbidden, invalidField, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import {
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { deploymentIdQuery, toolAvailableToUniversityCondition } from "./deployments.ts";
import { createSubjectKey } from "./subjects.ts";

type Settings = Pick<Config, "ENVIRONMENT">;

/** Null for a tool of the platform. */
export type ToolPath = { university_id: number | null; lti_tool_id: number };

const one = alias(ltiTools, "one");
const tool = alias(ltiTools, "tool");

const columns = {
  id: one.id,
  university_id: one.university_id,
  name: one.name,
  client_id: one.client_id,
  login_url: one.login_url,
  launch_url: one.launch_url,
  deep_linking_url: one.deep_linking_url,
  redirect_uris: one.redirect_uris,
  jwks_url: one.jwks_url,
  public_jwks: one.public_jwks,
  shares_name: one.shares_name,
  shares_email: one.shares_email,
  custom_parameters: one.custom_parameters,
  target: one.target,
  in_navigation: one.in_navigation,
  created_at: one.created_at,
  updated_at: one.updated_at,
};

/** With its deployments in the table `deployments`, or in the rows that a write leaves. */
const columnsWith = (deployments: SQL) => ({
  ...columns,
  course_ids: sql`(select case when one.university_id is null or bool_or(placed.course_id is null) then null
    else coalesce(json_agg(placed.course_id order by placed.course_id), '[]') end
    from ${deployments} as placed where placed.tool_id = one.id)`,
  deployment_ids: sql`coalesce((select json_agg(placed.id::text order by placed.course_id)
    from ${deployments} as placed where placed.tool_id = one.id), '[]')`,
});

export const canManageTools = ({ roles }: Actor, universityId: number | null): boolean =>
  universityId === null
    ? can(roles, "platform-lti-tool:manage")
    : can(roles, "lti-tool:manage", { university_id: universityId });

/** 404 for an unknown university, 403 unless its administrator; for tools of the platform, the platform's. */
export async function ensureManagesTools(
  db: ReadDb,
  actor: Actor,
  universityId: number | null,
): Promise<void> {
  if (canManageTools(actor, universityId)) return;
  if (universityId !== null) await getUniversity(db, universityId);
  throw forbidden();
}

/** A tool of the platform has a deployment in each university, not in courses. */
function ensureDeployable(
  universityId: number | null,
  { course_ids }: Pick<LtiToolUpdate, "course_ids">,
): void {
  if (universityId === null && (course_ids ?? null) !== null)
    throw invalidField(["course_ids"], "Input should be null for a tool of the platform");
}

/** 404 if there is none, 403 unless administrator. */
export async function listTools(
  db: ReadDb,
  actor: Actor,
  universityId: number | null,
  query: LtiToolQuery,
): Promise<JsonListPage<LtiTool>> {
  await ensureManagesTools(db, actor, universityId);
  const page = createPageQuery(query, [ascending(one.id)]);
  return queryJsonPage(
    db,
    page.rows(columnsWith(sql`lti_tool_deployments`), sql`lti_tools as one`, ownedByCondition(universityId)),
  );
}

/** 400 for a course of another university, 422 for an address without https. */
export async function createTool(
  db: Db,
  config: Settings,
  actor: Actor,
  universityId: number | null,
  input: LtiToolCreate,
): Promise<LtiTool> {
  await ensureManagesTools(db, actor, universityId);
  ensureDeployable(universityId, input);
  ensureHttpsAddresses(config, input);
  return insertTool(db, actor.id, universityId, input);
}

/** For a validated tool, in the name of that person. */
export async function insertTool(
  db: Db,
  actorId: number,
  universityId: number | null,
  input: LtiToolCreate,
): Promise<LtiTool> {
  const keys = input.public_jwks ? JSON.stringify(input.public_jwks) : null;
  const written = sql`
    insert into lti_tools (university_id, name, client_id, login_url, launch_url, deep_linking_url, redirect_uris,
                           jwks_url, public_jwks, shares_name, shares_email, custom_parameters, target, in_navigation, subject_key)
    values (${universityId}::int, ${input.name}, ${randomUUID()}, ${input.login_url}, ${input.launch_url},
            ${input.deep_linking_url}, ${sql.param(input.redirect_uris)}::text[], ${input.jwks_url ?? null}, ${keys}::jsonb,
            ${input.shares_name}, ${input.shares_email}, ${JSON.stringify(input.custom_parameters)}::jsonb,
            ${input.target.toLowerCase()}, ${input.in_navigation}, ${createSubjectKey()})
    returning *`;
  const courseIds = universityId === null ? undefined : input.course_ids;
  const [created] = await audited(db, actorId, "lti_tool.created", written, courseIds).catch(
    throwForeignCourse,
  );
  if (!created) throw notFound("University");
  return created;
}

/** Absent fields keep their values. */
export async function updateTool(
  db: Db,
  config: Settings,
  actor: Actor,
  path: ToolPath,
  input: LtiToolUpdate,
): Promise<LtiTool> {
  await ensureManagesTools(db, actor, path.university_id);
  ensureDeployable(path.university_id, input);
  ensureHttpsAddresses(config, input);
  const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
  const changesKeys = input.jwks_url !== undefined || input.public_jwks !== undefined;
  const written = sql`
    update lti_tools as one set
      name = coalesce(${input.name ?? null}, one.name), login_url = coalesce(${input.login_url ?? null}, one.login_url),
      launch_url = coalesce(${input.launch_url ?? null}, one.launch_url),
      deep_linking_url = case when ${input.deep_linking_url === undefined}::boolean then one.deep_linking_url
                              else ${input.deep_linking_url ?? null} end,
      redirect_uris = coalesce(${input.redirect_uris ? sql.param(input.redirect_uris) : null}::text[], one.redirect_uris),
      jwks_url = case when ${changesKeys}::boolean then ${input.jwks_url ?? null} else one.jwks_url end,
      public_jwks = case when ${changesKeys}::boolean then ${json(input.public_jwks)}::jsonb else one.public_jwks end,
      shares_name = coalesce(${input.shares_name ?? null}::boolean, one.shares_name),
      shares_email = coalesce(${input.shares_email ?? null}::boolean, one.shares_email),
      custom_parameters = coalesce(${json(input.custom_parameters)}::jsonb, one.custom_parameters),
      in_navigation = coalesce(${input.in_navigation ?? null}::boolean, one.in_navigation),
      target = coalesce(${input.target?.toLowerCase() ?? null}, one.target), updated_at = service_now()
    where ${matchesToolPath(path)} returning one.*`;
  const courseIds = path.university_id === null ? undefined : input.course_ids;
  const [changed] = await audited(db, actor.id, "lti_tool.changed", written, courseIds).catch(
    throwForeignCourse,
  );
  return changed ?? throwMissingTool(db, path);
}

/** Removes its deployments too; its items stay and can no longer be opened. */
export async function removeTool(db: Db, actor: Actor, path: ToolPath): Promise<void> {
  await ensureManagesTools(db, actor, path.university_id);
  const written = sql`delete from lti_tools as one where ${matchesToolPath(path)} returning one.*`;
  const removed = await audited(db, actor.id, "lti_tool.removed", written, undefined);
  if (removed.length === 0) await throwMissingTool(db, path);
}

/**
 * Writes the tool with an audit entry. Deployments in `courseIds` keep their ids, others are removed; null means
 * the whole university, undefined no change.
 */
function audited(
  db: Db,
  actorId: number,
  action: AuditAction,
  written: SQL,
  courseIds: readonly number[] | null | undefined,
): Promise<LtiTool[]> {
  const details = sql`jsonb_build_object('lti_tool_id', one.id, 'client_id', one.client_id)`;
  const act = { action, actor: actorId, university: sql`one.university_id`, details };
  const isWanted =
    courseIds === undefined
      ? sql`true`
      : courseIds === null
        ? sql`former.course_id is null`
        : sql`coalesce(former.course_id = any(${sql.param(courseIds)}::int[]), false)`;
  const wanted =
    courseIds === undefined
      ? sql`select null::int as course_id where false`
      : courseIds === null
        ? sql`select null::int as course_id`
        : sql`select distinct unnest(${sql.param(courseIds)}::int[]) as course_id`;
  const statement = sql`
    with written as (${written}),
    audited as (${insertAuditEventsQuery(act, sql`written as one`)}),
    former as materialized (
      select former.* from lti_tool_deployments as former join written on written.id = former.tool_id
    ), withdrawn as (
      delete from lti_tool_deployments as former using written
      where former.tool_id = written.id and not ${isWanted} returning former.id
    ), added as (
      insert into lti_tool_deployments (tool_id, university_id, course_id)
      select written.id, written.university_id, wanted.course_id from written cross join (${wanted}) as wanted
      where not exists (
        select from former where former.course_id is not distinct from wanted.course_id)
      returning *
    ), placed as (
      select former.id, former.tool_id, former.course_id from former
      where ${isWanted}
      union all
      select added.id, added.tool_id, added.course_id from added
    )
    select ${wireColumnsSql(columnsWith(sql`placed`))} from written as one`;
  return rowsOf(db, LtiTool, statement);
}

/** Each deployment's course belongs to the tool's university. */
function throwForeignCourse(error: unknown): never {
  if (constraintViolationIn(error)?.constraint === "lti_tool_deployments_course_fk")
    throw badRequest("does_not_exist", { thing: "A course of course_ids" });
  return rethrowMissingUniversityAsNotFound(error);
}

const matchesToolPath = ({ university_id, lti_tool_id }: ToolPath): SQL =>
  sql`one.id = ${lti_tool_id} and ${ownedByCondition(university_id)}`;

/** On `one`. */
const ownedByCondition = (universityId: number | null): SQL =>
  universityId === null ? sql`one.university_id is null` : sql`one.university_id = ${universityId}`;

/** Throws the 404 for the university, or for the tool within it. */
async function throwMissingTool(db: ReadDb, { university_id }: ToolPath): Promise<never> {
  if (university_id !== null) await getUniversity(db, university_id);
  throw notFound("LTI tool");
}

const addressFields = [
  "login_url",
  "launch_url",
  "deep_linking_url",
  "jwks_url",
  "registration_url",
] as const;

type Addresses = { [Field in (typeof addressFields)[number]]?: string | null | undefined } & {
  redirect_uris?: readonly string[] | undefined;
};

/** Throws 422 for an address without https, except in development. */
export function ensureHttpsAddresses({ ENVIRONMENT }: Settings, input: Addresses): void {
  if (ENVIRONMENT === "development") return;
  const isSecure = (address: string) => /^https:/i.test(address);
  for (const field of addressFields)
    if (input[field] != null && !isSecure(input[field]))
      throw invalidField([field], "Input should be an https address");
  const index = input.redirect_uris?.findIndex((address) => !isSecure(address)) ?? -1;
  if (index >= 0) throw invalidField(["redirect_uris", index], "Input should be an https address");
}

/** Tools that the course's teachers may use. 404 if the course is hidden, 403 unless they write its content. */
export async function listToolsOfCourse(
  db: ReadDb,
  actor: Actor,
  courseId: number,
  query: CourseLtiToolQuery,
): Promise<JsonListPage<CourseLtiTool>> {
  const page = createPageQuery(query, [ascending(tool.id)]);
  const shown = {
    id: tool.id,
    name: tool.name,
    has_deep_linking: sql`tool.deep_linking_url is not null`,
  };
  const usable = sql`
    ${toolAvailableToUniversityCondition(sql`(select courses.university_id from courses where courses.id = ${courseId})`)}
    and exists (
      select from courses where courses.id = ${courseId} and ${coursePermissionCondition(actor, "content:write")}
        and exists (${deploymentIdQuery(sql`courses.id`, sql`courses.university_id`)}))`;
  const listed = await queryJsonPage<CourseLtiTool>(db, page.rows(shown, sql`lti_tools as tool`, usable));
  if (listed.text === "[]") await ensureWritesContent(db, actor, courseId);
  return listed;
}

async function ensureWritesContent(db: ReadDb, actor: Actor, courseId: number): Promise<void> {
  const [course] = await rowsOf(
    db,
    z.object({ may_write: z.boolean() }),
    sql`
      select ${coursePermissionCondition(actor, "content:write")} as may_write from courses
      where courses.id = ${courseId} and ${visibleCourseCondition(actor)}`,
  );
  if (!course) throw notFound("Course");
  if (!course.may_write) throw forbidden();
}
