import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Announcement,
  type AnnouncementCreate,
  type AnnouncementUpdate,
} from "../../schema/api/courses/announcements.ts";
import { offeringPermissionCondition } from "../courses/course-permissions.ts";
import { hasDiscussionAccess, offeringsWithCoursesSql } from "../courses/discussion-access.ts";
import { forbidden } from "../errors.ts";
import { insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db } from "../platform/db/client.ts";
import { wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import {
  announcementColumnsFor,
  announcementOfferingJoinSql,
  announcementWriterJoinSql,
  explainUniversityRefusal,
  getAnnouncement,
  universityAnnouncementWriteCondition,
  writableAnnouncementCondition,
} from "./announcements.ts";

/** For the offering's staff: 403 for other readers, otherwise 404. */
export async function announceInOffering(
  db: Db,
  actor: Actor,
  offeringId: number,
  input: AnnouncementCreate,
  now: Date,
): Promise<Announcement> {
  const scope = sql`
    select course_offerings.university_id, course_offerings.id as course_offering_id from ${offeringsWithCoursesSql}
    where course_offerings.id = ${offeringId} and ${offeringPermissionCondition(actor, "announcement:write")}`;
  const written = await write(db, actor, scope, input, now);
  if (written) return written;
  await hasDiscussionAccess(db, actor, offeringId);
  throw forbidden();
}

/** For the university's administrators: 404 without the university, otherwise 403. */
export async function announceInUniversity(
  db: Db,
  actor: Actor,
  universityId: number,
  input: AnnouncementCreate,
  now: Date,
): Promise<Announcement> {
  const scope = sql`
    select universities.id as university_id, null::int as course_offering_id from universities
    where universities.id = ${universityId} and ${universityAnnouncementWriteCondition(actor, sql`universities.id`)}`;
  return (await write(db, actor, scope, input, now)) ?? explainUniversityRefusal(db, universityId);
}

async function write(
  db: Db,
  actor: Actor,
  scope: SQL,
  { title, body, published_at }: AnnouncementCreate,
  now: Date,
): Promise<Announcement | undefined> {
  const at = now.toISOString();
  const [written] = await rowsOf(
    db,
    Announcement,
    sql`
      with scope as (${scope}), written as (
        insert into announcements
          (university_id, course_offering_id, title, body, created_by_user_id, published_at, created_at, updated_at)
        select university_id, course_offering_id, ${title}, ${body}, ${actor.id}, ${published_at ?? at}, ${at}, ${at}
        from scope
        returning *
      )
      select ${wireColumnsSql(announcementColumnsFor(actor))} from written as announcements ${announcementWriterJoinSql}`,
  );
  return written;
}

/** 403 for its readers, 404 for others. */
export async function updateAnnouncement(
  db: Db,
  actor: Actor,
  announcementId: number,
  { title, body, published_at }: AnnouncementUpdate,
  now: Date,
): Promise<Announcement> {
  const isChange = [title, body, published_at].some((value) => value !== undefined);
  const [changed] = await rowsOf(
    db,
    Announcement,
    sql`
      with changed as (
        update announcements set
          title = coalesce(${title ?? null}, title), body = coalesce(${body ?? null}, body),
          published_at = coalesce(${published_at ?? null}::timestamptz, published_at),
          updated_at = case when ${isChange} then ${now.toISOString()}::timestamptz else updated_at end
        where announcements.id = ${announcementId} and ${isWritable(actor)}
        returning *
      )
      select ${wireColumnsSql(announcementColumnsFor(actor))} from changed as announcements ${announcementWriterJoinSql}`,
  );
  return changed ?? explainAnnouncementRefusal(db, actor, announcementId, now);
}

const isWritable = (actor: Actor): SQL => sql`exists (
  select from (select) as one ${announcementOfferingJoinSql} where ${writableAnnouncementCondition(actor)})`;

const Deleted = z.object({ id: z.int() });

/** Deletes its notifications too; audited. 403 and 404 as for an update. */
export async function deleteAnnouncement(
  db: Db,
  actor: Actor,
  announcementId: number,
  now: Date,
): Promise<void> {
  const act = {
    action: "announcement.deleted",
    actor: actor.id,
    subject: sql`created_by_user_id`,
    university: sql`university_id`,
    details: sql`jsonb_build_object('announcement_id', id, 'course_offering_id', course_offering_id)`,
  } as const;
  const deleted = await rowsOf(
    db,
    Deleted,
    sql`
      with deleted as (
        delete from announcements
        where announcements.id = ${announcementId} and ${isWritable(actor)}
        returning *
      ), audited as (${insertAuditEventsQuery(act, sql`deleted`)})
      select id from deleted`,
  );
  if (deleted.length === 0) await explainAnnouncementRefusal(db, actor, announcementId, now);
}

async function explainAnnouncementRefusal(
  db: Db,
  actor: Actor,
  announcementId: number,
  now: Date,
): Promise<never> {
  await getAnnouncement(db, actor, announcementId, now);
  throw forbidden();
}
