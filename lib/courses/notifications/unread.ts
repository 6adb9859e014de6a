import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";

/** Within the token's reach, at most 1,000. */
export function unreadNotificationCountSql(actor: Actor, now: Date): SQL {
  const own = tokenReachCondition(actor, sql`one.university_id`);
  if (!own) return sql`count_unread_notifications(${actor.id}, ${now.toISOString()})`;
  return sql`(select count(*)::int from (
    select from visible_notifications_of_person(${actor.id}, ${now.toISOString()}) as one
    where one.read_at is null and ${own}
      and one.kind in (
    select wish.kind from notification_settings as wish where wish.user_id = ${actor.id} and wish.in_app)
    limit 1000) as unread)`;
}

export function unreadAnnouncementCountSql(actor: Actor, now: Date): SQL {
  const own = tokenReachCondition(actor, sql`said.university_id`);
  if (!own) return sql`count_unread_announcements(${actor.id}, ${now.toISOString()})`;
  return sql`(
    select count(*)::int from visible_announcements_of_person(${actor.id}, ${now.toISOString()}) as said
    where ${own} and said.created_by_user_id is distinct from ${actor.id}
      and not exists (select from announcement_reads where announcement_id = said.id and user_id = ${actor.id}))`;
}
