import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import {
  LtiPlatform,
  type LtiPlatformCreate,
  type LtiPlatformQuery,
  type LtiPlatformUpdate,
} from "../../../schema/api/integrations/lti.ts";
import { ltiPlatforms } from "../../../schema/db/integrations/lti-platforms.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { badRequest, forbidden, invalidField, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

type Settings = Pick<Config, "ENVIRONMENT">;

/** The id is unique within its university. */
export type PlatformPath = { university_id: number; lti_platform_id: number };

const one = alias(ltiPlatforms, "one");

const columns = {
  id: one.id,
  university_id: one.university_id,
  name: one.name,
  issuer: one.issuer,
  client_id: one.client_id,
  auth_login_url: one.auth_login_url,
  auth_token_url: one.auth_token_url,
  jwks_url: one.jwks_url,
  frame_origins: one.frame_origins,
  trusts_sourced_id: one.trusts_sourced_id,
  trusts_email: one.trusts_email,
  staff_by_institution_role: one.staff_by_institution_role,
  waiting_deployments: sql<number>`(
    select count(*)::int from lti_deployments where platform_id = one.id and admitted_at is null)`,
  created_at: one.created_at,
  updated_at: one.updated_at,
};

/** 404 if there is none, 403 unless administrator. */
export async function listPlatforms(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: LtiPlatformQuery,
): Promise<JsonListPage<LtiPlatform>> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", universityId);
  const page = createPageQuery(query, [ascending(one.id)]);
  return queryJsonPage(
    db,
    page.rows(columns, sql`lti_platforms as one`, eq(one.university_id, universityId)),
  );
}

/**
 * 400 for an existing issuer and client, 403 for `trusts_email` unless platform_admin, 422 for an
 * address without https.
 */
export async function createPlatform(
  db: Db,
  config: Settings,
  actor: Actor,
  universityId: number,
  input: LtiPlatformCreate,
): Promise<LtiPlatform> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", universityId);
  ensureHttpsAddresses(config, input);
  ensureMayTrust(actor, input);
  return insertPlatform(db, actor.id, universityId, input);
}

/** For a validated platform, in the name of that person. */
export async function insertPlatform(
  db: Db,
  actorId: number,
  universityId: number,
  input: LtiPlatformCreate,
): Promise<LtiPlatform> {
  const written = sql`
    insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url,
                               frame_origins, trusts_sourced_id, trusts_email, staff_by_institution_role)
    values (${universityId}, ${input.name}, ${input.issuer}, ${input.client_id}, ${input.auth_login_url},
            ${input.auth_token_url}, ${input.jwks_url}, ${sql.param(input.frame_origins)}::text[],
            ${input.trusts_sourced_id}, ${input.trusts_email}, ${input.staff_by_institution_role})
    on conflict (university_id, issuer, client_id) do nothing returning *`;
  const [created] = await audited(db, actorId, "lti_platform.created", written).catch(
    rethrowMissingUniversityAsNotFound,
  );
  if (!created) throw badRequest("lti_platform_taken");
  return created;
}

/**
 * Absent fields keep their values. New keys or another token URL may belong to others: this clears
 * `trusts_email` unless a platform_admin makes the change.
 */
export async function updatePlatform(
  db: Db,
  config: Settings,
  actor: Actor,
  path: PlatformPath,
  input: LtiPlatformUpdate,
): Promise<LtiPlatform> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  ensureHttpsAddresses(config, input);
  ensureMayTrust(actor, input);
  const value = (name: keyof LtiPlatformUpdate): SQL =>
    sql`coalesce(${input[name] ?? null}, one.${sql.identifier(name)})`;
  const isMoved = sql`(one.jwks_url <> ${value("jwks_url")} or one.auth_token_url <> ${value("auth_token_url")}
    or one.auth_login_url <> ${value("auth_login_url")})`;
  const origins = input.frame_origins;
  const written = sql`
    update lti_platforms as one set
      name = ${value("name")}, auth_login_url = ${value("auth_login_url")},
      auth_token_url = ${value("auth_token_url")}, jwks_url = ${value("jwks_url")},
      frame_origins = coalesce(${origins === undefined ? null : sql.param(origins)}::text[], one.frame_origins),
      trusts_sourced_id = coalesce(${input.trusts_sourced_id ?? null}::boolean, one.trusts_sourced_id),
      trusts_email = coalesce(${input.trusts_email ?? null}::boolean, one.trusts_email)
        and (${mayTrust(actor)}::boolean or not ${isMoved}),
      staff_by_institution_role =
        coalesce(${input.staff_by_institution_role ?? null}::boolean, one.staff_by_institution_role),
      updated_at = service_now()
    where ${ltiPlatformPathCondition(path)} returning one.*`;
  const [changed] = await audited(db, actor.id, "lti_platform.changed", written);
  return changed ?? throwMissingPlatform(db, path);
}

/** Removes its deployments too; its launches are rejected from then on. */
export async function removePlatform(db: Db, actor: Actor, path: PlatformPath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "lti-platform:manage", path.university_id);
  const written = sql`delete from lti_platforms as one where ${ltiPlatformPathCondition(path)} returning one.*`;
  const removed = await audited(db, actor.id, "lti_platform.removed", written);
  if (removed.length === 0) await throwMissingPlatform(db, path);
}

/** Adds an audit entry for each row. */
function audited(db: Db, actorId: number, action: AuditAction, written: SQL): Promise<LtiPlatform[]> {
  const details = sql`jsonb_build_object('lti_platform_id', one.id, 'issuer', one.issuer, 'client_id', one.client_id,
    'jwks_url', one.jwks_url, 'trusts_email', one.trusts_email)`;
  const act = { action, actor: actorId, university: sql`one.university_id`, details };
  const statement = sql`
    with written as (${written}), audited as (${insertAuditEventsQuery(act, sql`written as one`)})
    select ${wireColumnsSql(columns)} from written as one`;
  return rowsOf(db, LtiPlatform, statement);
}

export const ltiPlatformPathCondition = ({ university_id, lti_platform_id }: PlatformPath): SQL =>
  and(eq(one.id, lti_platform_id), eq(one.university_id, university_id)) as SQL;

/** Throws the 404 for the university, or for the platform within it. */
export async function throwMissingPlatform(db: ReadDb, { university_id }: PlatformPath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("LTI platform");
}

const mayTrust = ({ roles }: Actor): boolean => can(roles, "lti-platform:trust-email");

/** Withdrawing or repeating the trust is not a grant. */
function ensureMayTrust(actor: Actor, { trusts_email }: { trusts_email?: boolean | undefined }): void {
  if (trusts_email && !mayTrust(actor)) throw forbidden("platform_decides_addresses");
}

const addressFields = ["issuer", "auth_login_url", "auth_token_url", "jwks_url"] as const;

type Addresses = { [Field in (typeof addressFields)[number]]?: string | undefined } & {
  frame_origins?: readonly string[] | undefined;
};

/** Throws 422 for an address without https, except in development. */
export function ensureHttpsAddresses({ ENVIRONMENT }: Settings, input: Addresses): void {
  if (ENVIRONMENT === "development") return;
  const isSecure = (address: string) => /^https:/i.test(address);
  for (const field of addressFields)
    if (input[field] !== undefined && !isSecure(input[field]))
      throw invalidField([field], "Input should be an https address");
  const index = input.frame_origins?.findIndex((origin) => !isSecure(origin)) ?? -1;
  if (index >= 0) throw invalidField(["frame_origins", index], "Input should be an https origin");
}
