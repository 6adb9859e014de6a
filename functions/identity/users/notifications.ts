import * as notifications from "../../../lib/courses/notifications/notifications.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
import {
  NotificationPage,
  NotificationPreferences,
  NotificationPreferencesUpdate,
  NotificationQuery,
  NotificationsRead,
  UnreadCount,
} from "../../../schema/api/courses/notifications.ts";

export const listMyNotifications = endpoint(
  {
    id: "listMyNotifications",
    method: "get",
    path: "/me/notifications",
    summary: "List the caller's notifications",
    description:
      "Covers discussion replies, announcements, grades, seats from the waiting list, and work due within " +
      "a day. Excludes disabled kinds and withdrawn content. While `has_more` is true, continue with the " +
      "last id as `before`. Kept for 90 days by default.",
    ...signedIn,
    query: NotificationQuery,
    ...ok(NotificationPage, "The newest notifications, or those before `before`"),
  },
  ({ deps, actor, query }) => notifications.listNotifications(deps.db, actor, query, deps.now()),
);

export const readMyNotifications = endpoint(
  {
    id: "readMyNotifications",
    method: "post",
    path: "/me/notifications/read",
    summary: "Mark notifications as read",
    description:
      "Send `ids`, or `up_to` to mark all up to that id. Marks their announcements as read, too. " +
      "Read notifications are not mailed. Ids of other people have no effect.",
    ...signedIn,
    body: NotificationsRead,
    ...ok(UnreadCount, "The number of unread notifications"),
  },
  ({ deps, actor, body }) => notifications.markNotificationsRead(deps.db, actor, body, deps.now()),
);

export const getMyNotificationPreferences = endpoint(
  {
    id: "getMyNotificationPreferences",
    method: "get",
    path: "/me/notification-preferences",
    summary: "Read notification preferences",
    ...signedInWithFullReach,
    ...ok(NotificationPreferences, "For each kind: whether it is listed, and when it is mailed"),
  },
  ({ deps, actor }) => notifications.getPreferences(deps.db, actor),
);

export const updateMyNotificationPreferences = endpoint(
  {
    id: "updateMyNotificationPreferences",
    method: "put",
    path: "/me/notification-preferences",
    summary: "Update notification preferences",
    description: "Also applies to mails that are queued.",
    ...signedInWithFullReach,
    body: NotificationPreferencesUpdate,
    ...ok(NotificationPreferences, "Settings of all kinds"),
  },
  ({ deps, actor, body }) => notifications.updatePreferences(deps.db, actor, body, deps.now()),
);
