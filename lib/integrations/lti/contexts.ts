import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  LtiContext,
  type LtiContextCreate,
  type LtiContextQuery,
} from "../../../schema/api/integrations/lti.ts";
import { ltiContexts } from "../../../schema/db/integrations/lti-contexts.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "../../courses/course-permissions.ts";
import {
  explainOfferingRefusal,
  type OfferingPath,
  permittedOfferingCondition,
} from "../../courses/offerings/offerings.ts";
import { ensurePermittedInOffering } from "../../courses/permitted-offering.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, conflict, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { type LaunchTicket, openLaunchTicketWithKey, type TicketKeyLookup } from "./launch-ticket.ts";

/** A bound LMS course; its id is unique within its offering. */
export type ContextPath = OfferingPath & { lti_context_id: number };

const one = alias(ltiContexts, "one");

const count = (rows: SQL) => typedSql(z.int())`(select count(*)::int ${rows})`;

const columns = {
  id: one.id,
  platform_id: one.platform_id,
  platform_name: typedSql(z.string())`(select name from lti_platforms where id = one.platform_id)`,
  title: one.title,
  course_offering_id: one.course_offering_id,
  links: count(sql`from lti_links where context_id = one.id`),
  people: count(sql`from lti_enrollments where context_id = one.id`),
  staff: count(sql`from offering_staff where lti_context_id = one.id and removed_at is null`),
  last_launched_at: one.last_launched_at,
  created_at: one.created_at,
};

/** For callers who may write the offering; 404 if they cannot see it, else 403. */
export async function listContexts(
  db: ReadDb,
  actor: Actor,
  path: OfferingPath,
  query: LtiContextQuery,
): Promise<JsonListPage<LtiContext>> {
  const page = createPageQuery(query, [ascending(one.id)]);
  const listed = await queryJsonPageOfOwner<LtiContext>(
    db,
    sql`course_offerings where ${permittedOfferingCondition(actor, "offering:write", path)}`,
    page.rows(columns, sql`lti_contexts as one`, sql`one.course_offering_id = course_offerings.id`),
  );
  return listed ?? explainOfferingRefusal(db, actor, path);
}

/**
 * Binds a launch's LMS course to an offering, to which its launches then grant access. 400 for an invalid
 * ticket or one without a course. 404 for an offering that is hidden or of another university, 403 without
 * the right to write it. 409 with the offering if the course is bound.
 */
export async function bindContext(
  parts: Pick<Deps, "db" | "config" | "now">,
  actor: Actor,
  universityId: number,
  input: LtiContextCreate,
  keyOf: TicketKeyLookup,
): Promise<LtiContext> {
  const { db } = parts;
  const ticket = await openLaunchTicketWithKey(parts, input.ticket, keyOf, universityId).catch(
    async (error) => {
      await ensurePermittedInOffering(db, actor, "offering:write", input.course_offering_id);
      throw error;
    },
  );
  if (!ticket.context) throw badRequest("launch_without_course");
  const [bound] = await rowsOf(db, LtiContext, binding(actor, ticket, ticket.context, input));
  return bound ?? explainUnbound(db, actor, ticket, input.course_offering_id);
}

function binding(
  actor: Actor,
  { platform_id, deployment_id, university_id, subject }: LaunchTicket,
  context: NonNullable<LaunchTicket["context"]>,
  { course_offering_id: offeringId, is_own_launch }: LtiContextCreate,
): SQL {
  const act = {
    action: "lti_context.bound",
    actor: actor.id,
    university: sql`one.university_id`,
    details: detailsOf,
  } as const;
  return sql`
    with one as (
      insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id,
                                memberships_url, line_items_url, grade_scopes, bound_by_user_id)
      select place.platform_id, place.id, ${context.id}, ${context.title}, course_offerings.id, courses.university_id,
             ${context.memberships_url ?? null}, ${context.line_items_url ?? null},
             ${sql.param(context.grade_scopes)}::text[], ${actor.id}::int
      from course_offerings join courses on courses.id = course_offerings.course_id
      join lti_deployments as place on place.platform_id = ${platform_id} and place.deployment_id = ${deployment_id}
        and place.admitted_at is not null
      where course_offerings.id = ${offeringId} and courses.university_id = ${university_id}
        and ${offeringPermissionCondition(actor, "offering:write")}
      on conflict do nothing returning *
    ), audited as (${insertAuditEventsQuery(act, sql`one`)}), linked as materialized (
      select link_lti_person_after_sign_in(one.platform_id, ${subject}, ${actor.id}::int, ${requestAuditJson()}::jsonb)
      from one where ${is_own_launch}
    )
    select ${wireColumnsSql(columns)} from one left join linked on true`;
}

const detailsOf = sql`jsonb_build_object('lti_platform_id', one.platform_id, 'lti_context_id', one.id,
  'course_offering_id', one.course_offering_id)`;

const BoundTo = z.object({
  code: z.string(),
  title: z.string(),
  term_name: z.string().nullable(),
  is_seen: z.boolean(),
});
const Deployment = z.object({ id: z.int() });

async function explainUnbound(
  db: Db,
  actor: Actor,
  { platform_id, deployment_id, context, university_id }: LaunchTicket,
  offeringId: number,
): Promise<never> {
  const places = sql`lti_deployments as place
    where place.platform_id = ${platform_id} and place.deployment_id = ${deployment_id}`;
  const [bound] = await rowsOf(
    db,
    BoundTo,
    sql`
      select courses.code, courses.title, course_offerings.term_name, ${visibleCourseCondition(actor)} as is_seen
      from lti_contexts as one join course_offerings on course_offerings.id = one.course_offering_id
      join courses on courses.id = course_offerings.course_id
      where one.context_id = ${context?.id ?? ""} and one.deployment_id in (select id from ${places})`,
  );
  if (bound) {
    const name = [bound.code, bound.title, bound.term_name].filter(Boolean).join(" ");
    throw conflict("context_bound", undefined, { course: bound.is_seen ? name : "another course" });
  }
  const admitted = await rowsOf(
    db,
    Deployment,
    sql`select place.id from ${places} and place.admitted_at is not null`,
  );
  if (admitted.length === 0) throw notFound("LTI deployment");
  const [seen] = await rowsOf(
    db,
    z.object({ course_id: z.int() }),
    sql`select course_id from course_offerings where id = ${offeringId} and university_id = ${university_id}`,
  );
  if (!seen) throw notFound("Offering");
  return explainOfferingRefusal(db, actor, { course_id: seen.course_id, offering_id: offeringId });
}

/**
 * The LMS course's people and their work stay. 404 if there is none, 403 without the right to write the
 * offering.
 */
export async function unbindContext(db: Db, actor: Actor, path: ContextPath): Promise<void> {
  const act = {
    action: "lti_context.unbound",
    actor: actor.id,
    university: sql`one.university_id`,
    details: detailsOf,
  } as const;
  const wanted = and(
    eq(one.id, path.lti_context_id),
    eq(one.course_offering_id, path.offering_id),
    sql`exists (select from course_offerings where ${permittedOfferingCondition(actor, "offering:write", path)})`,
  );
  const removed = await rowsOf(
    db,
    z.object({ id: z.int() }),
    sql`
      with removed as (delete from lti_contexts as one where ${wanted} returning one.*),
        audited as (${insertAuditEventsQuery(act, sql`removed as one`)})
      select id from removed`,
  );
  if (removed.length > 0) return;
  const permitted = await rowsOf(
    db,
    z.object({ id: z.int() }),
    sql`select id from course_offerings where ${permittedOfferingCondition(actor, "offering:write", path)}`,
  );
  if (permitted.length === 0) await explainOfferingRefusal(db, actor, path);
  throw notFound("LTI context");
}

/** Links to the caller's account. 409 if linked to another account, 404 if the platform was removed. */
export async function linkLaunchUserToAccount(
  db: Db,
  actor: Actor,
  { platform_id, subject }: Pick<LaunchTicket, "platform_id" | "subject">,
): Promise<void> {
  const [done] = await rowsOf(
    db,
    z.object({ refusal: z.enum(["gone", "taken"]).nullable() }),
    sql`select link_lti_person_after_sign_in(${platform_id}, ${subject}, ${actor.id}, ${requestAuditJson()}::jsonb) as refusal`,
  );
  if (done?.refusal === "gone") throw notFound("LTI platform");
  if (done?.refusal === "taken") throw conflict("lms_account_linked");
}
