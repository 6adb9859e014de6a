import { and, type SQL, sql } from "drizzle-orm";
import {
  Announcement,
  type AnnouncementQuery,
  type OfferingAnnouncementQuery,
} from "../../schema/api/courses/announcements.ts";
import { announcements } from "../../schema/db/courses/announcements.ts";
import { users } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { offeringPermissionCondition } from "../courses/course-permissions.ts";
import {
  ensureDiscussionAccess,
  offeringsWithCoursesSql,
  readableDiscussionsCondition,
  writtenByGroupMemberCondition,
} from "../courses/discussion-access.ts";
import { offeringLanguageSql } from "../courses/language.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import { permissionCondition } from "../identity/rbac/scopes.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import {
  type PagedRowsQuery,
  queryJsonPage,
  queryJsonPageOfOwner,
  wireColumnsSql,
} from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";

/*
 * schema/functions/courses/announcements.sql defines the audience. Staff outside it can read too; only staff
 * see scheduled ones.
 */

/** Needs the author's row of `users`. */
export const announcementColumnsFor = (actor: Actor) => ({
  id: announcements.id,
  university_id: announcements.university_id,
  course_offering_id: announcements.course_offering_id,
  language_code: offeringLanguageSql(sql`announcements.course_offering_id`),
  title: announcements.title,
  body: announcements.body,
  created_by_user_id: announcements.created_by_user_id,
  created_by_name: users.full_name,
  published_at: announcements.published_at,
  read_at: sql`(
      select ${momentForm(sql`read_at`)} from announcement_reads
      where announcement_id = announcements.id and user_id = ${actor.id})`,
  created_at: announcements.created_at,
  updated_at: announcements.updated_at,
});

export const announcementWriterJoinSql = sql`left join users on users.id = announcements.created_by_user_id`;

export const announcementOfferingJoinSql = sql`
  left join course_offerings on course_offerings.id = announcements.course_offering_id
  left join courses on courses.id = course_offerings.course_id`;

export const universityAnnouncementWriteCondition = (
  actor: Actor,
  university = sql`announcements.university_id`,
): SQL => permissionCondition(actor, "university-announcement:write", university);

const belongsTo = (actor: Actor, university: SQL): SQL => sql`exists (
  select from known_people as known
  where ${and(sql`known.user_id = ${actor.id}`, sql`known.university_id = ${university}`, tokenReachCondition(actor, university))})`;

/** Needs the announcement's offering. */
export const writableAnnouncementCondition = (
  actor: Actor,
): SQL => sql`case when announcements.course_offering_id is null
  then ${universityAnnouncementWriteCondition(actor)} else ${offeringPermissionCondition(actor, "announcement:write")} end`;

const readableBy = (actor: Actor, now: Date): SQL => sql`(${writableAnnouncementCondition(actor)} or (
  announcements.published_at <= ${now.toISOString()} and case when announcements.course_offering_id is null
    then ${belongsTo(actor, sql`announcements.university_id`)} else ${readableDiscussionsCondition(actor)} end))`;

const isUnread = (actor: Actor, unread: AnnouncementQuery["unread"]): SQL | undefined =>
  unread === "true"
    ? sql`announcements.created_by_user_id is distinct from ${actor.id} and not exists (
        select from announcement_reads where announcement_id = announcements.id and user_id = ${actor.id})`
    : undefined;

const pageFor = (actor: Actor, query: AnnouncementQuery, from: SQL, wanted?: SQL): PagedRowsQuery =>
  createPageQuery(query, [descending(announcements.published_at), descending(announcements.id)]).rows(
    announcementColumnsFor(actor),
    sql`${from} ${announcementWriterJoinSql}`,
    wanted,
  );

export function listMyAnnouncements(
  db: ReadDb,
  actor: Actor,
  query: AnnouncementQuery,
  now: Date,
): Promise<JsonListPage<Announcement>> {
  const mine = sql`visible_announcements_of_person(${actor.id}, ${now.toISOString()}) as announcements`;
  return queryJsonPage(
    db,
    pageFor(
      actor,
      query,
      mine,
      and(tokenReachCondition(actor, announcements.university_id), isUnread(actor, query.unread)),
    ),
  );
}

/** Newest first; 404 or 403 like `ensureDiscussionAccess`. */
export async function listOfferingAnnouncements(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { group_id, ...query }: OfferingAnnouncementQuery,
  now: Date,
): Promise<JsonListPage<Announcement>> {
  const filter = and(
    sql`announcements.course_offering_id = course_offerings.id`,
    writtenByGroupMemberCondition(actor, group_id, announcements.created_by_user_id),
    sql`(announcements.published_at <= ${now.toISOString()} or ${offeringPermissionCondition(actor, "announcement:write")})`,
    isUnread(actor, query.unread),
  );
  const found = await queryJsonPageOfOwner<Announcement>(
    db,
    sql`${offeringsWithCoursesSql} where course_offerings.id = ${offeringId} and ${readableDiscussionsCondition(actor)}`,
    pageFor(actor, query, sql`announcements`, filter),
  );
  if (found) return found;
  await ensureDiscussionAccess(db, actor, offeringId);
  throw notFound("Offering");
}

/** Newest first; 404 without the university, 403 for non-members. */
export async function listUniversityAnnouncements(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: AnnouncementQuery,
  now: Date,
): Promise<JsonListPage<Announcement>> {
  const writes = universityAnnouncementWriteCondition(actor, sql`universities.id`);
  const filter = and(
    sql`announcements.university_id = universities.id and announcements.course_offering_id is null`,
    sql`(announcements.published_at <= ${now.toISOString()} or ${writes})`,
    isUnread(actor, query.unread),
  );
  const found = await queryJsonPageOfOwner<Announcement>(
    db,
    sql`universities where universities.id = ${universityId}
      and (${writes} or ${belongsTo(actor, sql`universities.id`)})`,
    pageFor(actor, query, sql`announcements`, filter),
  );
  return found ?? explainUniversityRefusal(db, universityId, "not_of_university");
}

/** 404 outside its audience, and before publication for all but staff. */
export async function getAnnouncement(
  db: ReadDb,
  actor: Actor,
  announcementId: number,
  now: Date,
): Promise<Announcement> {
  const [found] = await rowsOf(
    db,
    Announcement,
    sql`
      select ${wireColumnsSql(announcementColumnsFor(actor))} from announcements ${announcementOfferingJoinSql} ${announcementWriterJoinSql}
      where announcements.id = ${announcementId} and ${readableBy(actor, now)}`,
  );
  if (!found) throw notFound("Announcement");
  return found;
}

export const markAnnouncementReadCte = (person: number, moment: string): SQL => sql`
  read as (
    insert into announcement_reads (announcement_id, user_id, read_at)
    select permitted.id, ${person}::int, ${moment}::timestamptz from permitted on conflict do nothing
  ), seen as (
    update notifications set read_at = ${moment}::timestamptz, mail_due_at = null from permitted
    where announcement_id = permitted.id and user_id = ${person} and read_at is null
  )`;

/** 404 outside its audience. */
export async function markAnnouncementRead(
  db: Db,
  actor: Actor,
  announcementId: number,
  now: Date,
): Promise<void> {
  const { rows } = await db.execute(sql`
    with permitted as materialized (
      select announcements.id from announcements ${announcementOfferingJoinSql}
      where announcements.id = ${announcementId} and ${readableBy(actor, now)}
    ), ${markAnnouncementReadCte(actor.id, now.toISOString())}
    select from permitted`);
  if (rows.length === 0) throw notFound("Announcement");
}

/** Universities are public, so non-members get 403. */
export async function explainUniversityRefusal(
  db: ReadDb,
  universityId: number,
  code: "not_of_university" | "not_enough_permissions" = "not_enough_permissions",
): Promise<never> {
  const { rows } = await db.execute(sql`select from universities where id = ${universityId}`);
  throw rows.length > 0 ? forbidden(code) : notFound("University");
}
