import { and, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import { Offer, type OfferQuery } from "../../../schema/api/courses/offers.ts";
import { invitations } from "../../../schema/db/courses/invitations.ts";
import { badRequest, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  invitationForActorCondition,
  openInvitationCondition,
} from "../../identity/auth/open-invitations.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../../identity/identities/former-accounts.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import { acceptInvitationError } from "./accept-invitation.ts";
import { invitationStatusSql } from "./invitations.ts";

const one = alias(invitations, "one");

const columns = (now: Date) => ({
  id: one.id,
  university_id: one.university_id,
  university_name: sql`(select name from universities where universities.id = one.university_id)`,
  role: one.role,
  department_id: one.department_id,
  department_name: sql`(select name from departments where departments.id = one.department_id)`,
  course_offering_id: one.course_offering_id,
  course_title: sql`(
    select title from course_offerings as run join courses on courses.id = run.course_id
    where run.id = one.course_offering_id
    union all select title from courses where courses.id = one.course_id)`,
  teaches: one.teaches,
  course_id: one.course_id,
  prerequisite_course_id: one.prerequisite_course_id,
  prerequisite_title: sql`(select title from courses where courses.id = one.prerequisite_course_id)`,
  status: invitationStatusSql(now),
  created_at: one.created_at,
  expires_at: one.expires_at,
});

/** By verified address, newest first. */
export function listMyOffers(
  db: ReadDb,
  actor: Actor,
  query: OfferQuery,
  now: Date,
): Promise<JsonListPage<Offer>> {
  const page = createPageQuery(query, [descending(one.id)]);
  return queryJsonPage(
    db,
    page.rows(
      columns(now),
      sql`invitations as one`,
      and(invitationForActorCondition(actor), openInvitationCondition(now)),
    ),
  );
}

const Accepted = z.object({ refusal: z.string().nullable(), missing: z.string().nullable(), offer: Offer });

/**
 * Accepts an offer completely or not at all. 400 if it can no longer be granted, 404 if it is not open or not
 * for the actor's verified address.
 */
export async function acceptMyOffer(
  db: Db,
  actor: Actor,
  offerId: number,
  now: Date,
  secrets: EncryptionSecrets,
): Promise<Offer> {
  const person = storeFormerAccountsReturningPersonSql(
    sql`${actor.id}`,
    await getOrCreateAccountHashKey(db, secrets),
  );
  const [done] = await rowsOf(
    db,
    Accepted,
    sql`
      with mine as materialized (
        select one.* from invitations as one where one.id = ${offerId} and ${invitationForActorCondition(actor)} and ${openInvitationCondition(now)}
      )
      select done.refusal, done.missing, (
        select row_to_json(item) from (select ${wireColumnsSql(columns(now))}) as item) as offer
      from mine as one cross join lateral accept_invitation(one.id, ${person}, ${requestAuditJson()}::jsonb) as done`,
  );
  if (!done) throw notFound("Offer");
  if (done.refusal !== null) throw acceptInvitationError(done.refusal, done.missing);
  return { ...done.offer, status: "ACCEPTED" };
}

/** Imports will not repeat the offer. 404 as above, 400 if just accepted or revoked. */
export async function declineMyOffer(db: Db, actor: Actor, offerId: number, now: Date): Promise<Offer> {
  const moment = now.toISOString();
  const mine = and(sql`one.id = ${offerId}`, invitationForActorCondition(actor));
  const act = {
    action: "invitation.declined",
    actor: actor.id,
    subject: actor.id,
    university: sql`one.university_id`,
    details: sql`jsonb_build_object('invitation_id', one.id)`,
  } as const;
  const [declined] = await rowsOf(
    db,
    Offer,
    sql`
      with one as (
        update invitations as one set declined_at = ${moment}, revoked_at = ${moment}
        where ${mine} and ${openInvitationCondition(now)} returning one.*
      ), audited as (${insertAuditEventsQuery(act, sql`one`)})
      select ${wireColumnsSql(columns(now))} from one`,
  );
  if (declined) return declined;
  const [known] = await rowsOf(db, Known, sql`select one.id from invitations as one where ${mine}`);
  throw known ? badRequest("offer_is_void") : notFound("Offer");
}

const Known = z.object({ id: z.int() });
