import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  Enrollment,
  EnrollmentCreate,
  EnrollmentUpdate,
} from "../../../schema/api/courses/enrollments.ts";
import { Offered } from "../../../schema/api/courses/offers.ts";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { badRequest, forbidden, hourlyLimitError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  acceptInvitationsAfterSignIn,
  hasOpenInvitationCondition,
} from "../../identity/auth/open-invitations.ts";
import { throwOutOfTokenReach } from "../../identity/auth/required-provider.ts";
import { tokenAdmittedAtUniversityCondition, tokenReachCondition } from "../../identity/auth/token-reach.ts";
import {
  getOrCreateAccountHashKey,
  storeFormerAccountsReturningPersonSql,
} from "../../identity/identities/former-accounts.ts";
import {
  ensureNamedPersonExists,
  namedPersonQuery,
  offerRecipientEmailQuery,
} from "../../identity/identities/named-person.ts";
import { createdOfferJsonSql, createOrRenewOffersQuery } from "../../identity/universities/offers.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { MailBudgets } from "../../platform/mail/mail-budgets.ts";
import { AcceptedResult } from "../../platform/results/accepted.ts";
import type { EncryptionSecrets } from "../../platform/secrets/encryption.ts";
import { offeringPermissionCondition, visibleCourseCondition } from "../course-permissions.ts";
import { computedProgressPercentSql } from "../course-progress/progress-percent.ts";
import { enrollmentColumns, getEnrollment, toEnrollment } from "./enrollments.ts";

const refusals = {
  not_open: () => badRequest("enrollment_not_open"),
  already_enrolled: () => badRequest("already_enrolled"),
  enrolled_in_course: () => badRequest("already_enrolled_in_course"),
  unmet_prerequisites: (missing: string | null) => badRequest("unmet_prerequisites", { courses: missing }),
  full: () => badRequest("offering_full"),
  waiting: () => badRequest("waiting_may_only_drop"),
  by_staff: () => forbidden("enrollment_by_staff"),
  own: () => forbidden(),
  inactive_university: () => badRequest("university_inactive"),
  inactive_person: () => badRequest("person_inactive"),
  wrong_key: () => forbidden("wrong_enrollment_key"),
  too_many_keys: (_: unknown, now: Date) => hourlyLimitError("too_many_wrong_keys", now),
};

/**
 * Enrolls the caller, in a full offering at the end of its waitlist. A caller without a role in the
 * university becomes a student there and accepts its invitations. 404 if the course is hidden. 400 outside of
 * the enrollment window, without the strict prerequisites, when already enrolled, or with another seat in the
 * course and term. 403 without the offering's key, if only staff enroll, or if the token does not reach the
 * university; 429 after too many wrong keys.
 */
export async function enroll(
  db: Db,
  actor: Actor,
  { course_offering_id, enrollment_key }: EnrollmentCreate,
  now: Date,
  secrets: EncryptionSecrets,
): Promise<Enrollment> {
  const verified = sql`(select email from users where id = ${actor.id} and email_verified_at is not null)`;
  const changed = await changeSeat(
    db,
    now,
    sql`select ${offeringFacts},
        ${hasOpenInvitationCondition(verified, sql`course_offerings.university_id`, now)} as is_offered
      from ${offeringsOfCourses}
      where course_offerings.id = ${course_offering_id} and ${visibleCourseCondition(actor)}
        and ${tokenAdmittedAtUniversityCondition(actor, courses.university_id)}`,
    sql`enroll(permitted.id, ${actor.id}, ${now.toISOString()}, ${enrollment_key ?? null})`,
    { key: await getOrCreateAccountHashKey(db, secrets), is_offered: sql`is_offered` },
  );
  if (!changed) return explainOwnRefusal(db, actor, course_offering_id);
  if (changed.is_offered) await acceptInvitationsAfterSignIn(db, actor.id, changed.enrollment.university_id);
  return changed.enrollment;
}

async function explainOwnRefusal(db: Db, actor: Actor, offeringId: number): Promise<never> {
  const Seen = z.object({ university_id: z.int() });
  const [seen] = await rowsOf(
    db,
    Seen,
    sql`select courses.university_id from ${offeringsOfCourses}
      where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!seen) throw notFound("Offering");
  return throwOutOfTokenReach(db, actor, seen.university_id);
}

/**
 * Enrolls another person by the rules of `enroll` without the key, for the offering's staff; audited.
 * `override` ignores the window, prerequisites, capacity and a seat elsewhere. A person from outside the
 * university is invited (`Accepted`). 404 for a person not visible to `user_id`, 403 unless staff, 429 beyond
 * the hourly invitations. Staff who name themselves are enrolled as by `enroll`; an override returns 403.
 */
export async function enrollPerson(
  db: Db,
  actor: Actor,
  { course_offering_id, override = false, user_id, email, external_id }: EnrollmentCreate,
  now: Date,
  config: EncryptionSecrets & MailBudgets,
): Promise<Enrollment | AcceptedResult<Offered>> {
  const named = { user_id, email, external_id };
  const university = sql`(select university_id from course_offerings where id = ${course_offering_id})`;
  const changed = await changeSeat(
    db,
    now,
    sql`select ${offeringFacts}, person.id as person_id
      from ${offeringsOfCourses} join (${namedPersonQuery(actor, named, university)}) as person on is_own
      where course_offerings.id = ${course_offering_id} and ${offeringPermissionCondition(actor, "enrollment:manage")}`,
    sql`enroll(permitted.id, permitted.person_id, ${now.toISOString()}, null, ${actor.id}, ${override},
      ${requestAuditJson()}::jsonb)`,
    { key: await getOrCreateAccountHashKey(db, config) },
  );
  if (changed) return changed.enrollment;
  const [made] = await rowsOf(
    db,
    MadeOffer,
    sql`
      with person as (${namedPersonQuery(actor, named, university)}), recipient as materialized (
        select course_offerings.university_id, course_offerings.id as course_offering_id, addressee.email
        from ${offeringsOfCourses} cross join (${offerRecipientEmailQuery(named)}) as addressee
        where course_offerings.id = ${course_offering_id} and ${offeringPermissionCondition(actor, "enrollment:manage")}
      ), made as materialized (${createOrRenewOffersQuery({ override, actor, budgets: config })})
      select ${createdOfferJsonSql} as offered`,
  );
  if (made?.offered) return new AcceptedResult(made.offered);
  return explainPersonRefusal(db, actor, course_offering_id, named);
}

const MadeOffer = z.object({ offered: Offered.nullable() });

async function explainPersonRefusal(
  db: Db,
  actor: Actor,
  offeringId: number,
  named: NamedPerson,
): Promise<never> {
  const Seen = z.object({ is_staff: z.boolean() });
  const [seen] = await rowsOf(
    db,
    Seen,
    sql`select ${offeringPermissionCondition(actor, "enrollment:manage")} as is_staff from ${offeringsOfCourses}
      where course_offerings.id = ${offeringId} and ${visibleCourseCondition(actor)}`,
  );
  if (!seen) throw notFound("Offering");
  if (!seen.is_staff) throw forbidden();
  const university = sql`(select university_id from course_offerings where id = ${offeringId})`;
  await ensureNamedPersonExists(db, actor, named, university);
  throw notFound("Offering");
}

const offeringFacts = sql`course_offerings.id, course_id, starts_at, ends_at, term_name, title, code`;

const offeringsOfCourses = sql`course_offerings join courses on courses.id = course_offerings.course_id`;

/**
 * For its owner and the university's staff. A freed seat goes to the longest waiting person in the same
 * transaction. Owners become active under the rules of enrolling, and leave the waitlist only by dropping,
 * else 400. Staff may exceed the capacity and give a second seat in a course and term, audited, but not to
 * themselves.
 */
export async function updateEnrollment(
  db: Db,
  actor: Actor,
  enrollmentId: number,
  { status }: EnrollmentUpdate,
  now: Date,
): Promise<Enrollment> {
  const staff = offeringPermissionCondition(actor, "enrollment:manage");
  const own = and(sql`user_id = ${actor.id}`, tokenReachCondition(actor, courses.university_id));
  const wanted = status?.toLowerCase() ?? null;
  const changed = await changeSeat(
    db,
    now,
    sql`
      select enrollments.id, course_id, starts_at, ends_at, term_name, title, code,
        user_id = ${actor.id} or not ${staff} as by_owner
      from enrollments
      join course_offerings on course_offerings.id = course_offering_id
      join courses on courses.id = course_id
      where enrollments.id = ${enrollmentId} and (${own} or ${staff})
        and not exists (select from users where id = user_id and erased_at is not null)`,
    sql`set_enrollment_status(permitted.id, ${wanted}, permitted.by_owner, ${now.toISOString()}, ${actor.id},
      ${requestAuditJson()}::jsonb)`,
  );
  return changed?.enrollment ?? getEnrollment(db, actor, enrollmentId);
}

/**
 * Calls a database function for the row that `permitted` selects; undefined for none. The key of former
 * accounts recognizes a person who returns.
 */
async function changeSeat(
  db: Db,
  now: Date,
  permitted: SQL,
  call: SQL,
  { key, is_offered = sql`false` }: { key?: string; is_offered?: SQL } = {},
): Promise<{ enrollment: Enrollment; is_offered: boolean } | undefined> {
  const columns = {
    ...enrollmentColumns,
    progress_percent: typedSql(z.number())`progress_percent`.as("progress_percent"),
    position: typedSql(z.int().nullable())`waits_at`.as("waits_at"),
    refusal: typedSql(z.enum(Object.keys(refusals) as (keyof typeof refusals)[]).nullable())`refusal`.as(
      "refusal",
    ),
    missing: typedSql(z.string().nullable())`missing`.as("missing"),
    is_offered: typedSql(z.boolean())`is_offered`.as("is_offered"),
  };
  // Materialized: the function is only called for rows that match the condition.
  const changed = db.$with("changed", columns).as(sql`
    with permitted as materialized (${permitted})
    select (done.enrollment).*, course_id, starts_at, ends_at, term_name, title, code, refusal, missing, waits_at, ${is_offered} as is_offered,
      ${computedProgressPercentSql(sql`(done.enrollment).course_offering_id`, sql`(done.enrollment).user_id`)}::float8 as progress_percent
    from permitted cross join lateral ${call} as done
      ${key === undefined ? sql`` : sql`cross join lateral ${storeFormerAccountsReturningPersonSql(sql`(done.enrollment).user_id`, key)}`}`);
  const [row] = await db.with(changed).select().from(changed);
  if (!row) return undefined;
  const { refusal, missing, is_offered: isOffering, ...enrollment } = row;
  if (refusal) throw refusals[refusal](missing, now);
  return { enrollment: toEnrollment(enrollment), is_offered: isOffering };
}
