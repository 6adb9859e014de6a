import { and, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  Notification,
  type NotificationPage,
  NotificationPreferences,
  type NotificationPreferencesUpdate,
  type NotificationQuery,
  type NotificationsRead,
} from "../../../schema/api/courses/notifications.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { offeringLanguageSql } from "../language.ts";
import { unreadNotificationCountSql } from "./unread.ts";

/* Creation, read state and mailing are in schema/functions/courses/notifications.sql. */

const columns = sql`
  one.id, one.kind, one.title, one.by_name, one.university_id, one.course_offering_id,
  ${offeringLanguageSql(sql`one.course_offering_id`)} as language_code,
  one.content_item_id, one.announcement_id, one.thread_id, one.post_id, ${momentForm(sql`one.due_at`)} as due_at,
  ${momentForm(sql`one.created_at`)} as created_at, ${momentForm(sql`one.read_at`)} as read_at,
  (select json_build_object('id', rollout.id, 'prompt_name', rollout.prompt_name, 'version', rollout.candidate_version,
                            'stop_reason', upper(rollout.stop_reason))
   from notifications as own join prompt_rollouts as rollout on rollout.id = own.prompt_rollout_id
   where own.id = one.id) as rollout`;

const Page = z.object({ notifications: z.array(Notification), unread_count: z.int() });

/** Newest first, without kinds that are switched off. */
export async function listNotifications(
  db: ReadDb,
  actor: Actor,
  { unread, kind, before, limit }: NotificationQuery,
  now: Date,
): Promise<NotificationPage> {
  const filter = and(
    tokenReachCondition(actor, sql`one.university_id`),
    isWished(actor),
    unread === "true" ? sql`one.read_at is null` : undefined,
    kind ? sql`one.kind = ${kind}` : undefined,
    before ? sql`one.id < ${before}` : undefined,
  );
  const page = sql`
    select ${columns} from ${own(actor, now)} where ${filter} order by one.id desc limit ${limit + 1}`;
  const [found] = await rowsOf(
    db,
    Page,
    sql`
      select coalesce((select json_agg(one order by one.id desc) from (${page}) as one), '[]') as notifications,
             ${unreadNotificationCountSql(actor, now)} as unread_count`,
  );
  const { notifications = [], unread_count = 0 } = found ?? {};
  return {
    notifications: notifications.slice(0, limit),
    has_more: notifications.length > limit,
    unread_count,
  };
}

const own = (actor: Actor, now: Date): SQL =>
  sql`visible_notifications_of_person(${actor.id}, ${now.toISOString()}) as one`;

/** Of kinds that the caller has switched on. */
const isWished = (actor: Actor): SQL => sql`
  one.kind in (
    select wish.kind from notification_settings as wish where wish.user_id = ${actor.id} and wish.in_app)`;

const Unread = z.object({ unread_count: z.int() });

/** By ids or up to one. Ignores others' notifications, deleted ones and those out of the token's reach. */
export async function markNotificationsRead(
  db: Db,
  actor: Actor,
  { ids = [], up_to = 0 }: NotificationsRead,
  now: Date,
): Promise<z.output<typeof Unread>> {
  const [left] = await rowsOf(
    db,
    Unread,
    tokenReachCondition(actor, sql`one.university_id`)
      ? sql`
        with unread as materialized (
          select one.id, one.id = any (${sql.param(ids)}::bigint[]) or one.id <= ${up_to}::bigint as is_named,
                 ${isWished(actor)} as is_wished
          from ${own(actor, now)} where one.read_at is null and ${tokenReachCondition(actor, sql`one.university_id`)}
        ), read as materialized (
          select mark_notifications_read(
            ${actor.id}, array(select id from unread where is_named), 0, ${now.toISOString()})
        )
        select count(*)::int as unread_count from read, unread where is_wished and not is_named`
      : sql`select mark_notifications_read(${actor.id}, ${sql.param(ids)}::bigint[], ${up_to}::bigint, ${now.toISOString()})
          as unread_count`,
  );
  return left ?? { unread_count: 0 };
}

const Wishes = z.object({ wishes: NotificationPreferences });

const wishesOf = (actor: Actor): SQL => sql`
  select json_object_agg(kind, json_build_object('in_app', in_app, 'mail', mail)) as wishes
  from notification_settings where user_id = ${actor.id}`;

export async function getPreferences(db: ReadDb, actor: Actor): Promise<NotificationPreferences> {
  const [found] = await rowsOf(db, Wishes, wishesOf(actor));
  if (!found) throw new Error("an aggregate returned no row");
  return found.wishes;
}

/** Absent fields are unchanged. */
export async function updatePreferences(
  db: Db,
  actor: Actor,
  change: NotificationPreferencesUpdate,
  now: Date,
): Promise<NotificationPreferences> {
  const [found] = await rowsOf(
    db,
    Wishes,
    sql`select update_notification_preferences(${actor.id}, ${JSON.stringify(change)}::jsonb, ${now.toISOString()})::json
        as wishes`,
  );
  if (!found) throw new Error("a function returned no row");
  return found.wishes;
}

/** If the person exists. */
export async function disableNotificationMail(db: Db, personId: number, now: Date): Promise<void> {
  await db.execute(sql`
    select update_notification_preferences(
      id, (select jsonb_object_agg(kind, '{"mail": "off"}'::jsonb) from notification_settings where user_id = id), ${now.toISOString()})
    from users where id = ${personId} and erased_at is null`);
}
