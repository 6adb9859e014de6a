import * as notifications from "../../../lib/courses/notifications/notifications.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInWholly } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Page through one's notifications",
    description:
      "An answer in a discussion, an announcement, a grade, a place from the waiting list, and what is due within a day. " +
      "Kinds that the person does not want to see are left out, and so is what was taken back since. Read on with " +
      "`before`, the id of the last one, while `has_more` says so. They are kept for 90 days unless the platform says otherwise.",
    ...signedIn,
    query: NotificationQuery,
    ...ok(NotificationPage, "The newest, or those before `before`"),
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
      "Some, or all up to one; the announcements that they tell of are read with them. What is read goes out by mail no more. Ids that are not one's own change nothing.",
    ...signedIn,
    body: NotificationsRead,
    ...ok(UnreadCount, "How many are left"),
  },
  ({ deps, actor, body }) => notifications.readNotifications(deps.db, actor, body, deps.now()),
);

export const getMyNotificationPreferences = endpoint(
  {
    id: "getMyNotificationPreferences",
    method: "get",
    path: "/me/notification-preferences",
    summary: "Read how one is told of what",
    ...signedInWholly,
    ...ok(NotificationPreferences, "Each kind of notification, in the list and by mail"),
  },
  ({ deps, actor }) => notifications.getPreferences(deps.db, actor),
);

export const updateMyNotificationPreferences = endpoint(
  {
    id: "updateMyNotificationPreferences",
    method: "put",
    path: "/me/notification-preferences",
    summary: "Change how one is told of what",
    description: "What waits to go out by mail goes by the new wish.",
    ...signedInWholly,
    body: NotificationPreferencesUpdate,
    ...ok(NotificationPreferences, "Each kind of notification, changed or not"),
  },
  ({ deps, actor, body }) => notifications.updatePreferences(deps.db, actor, body, deps.now()),
);
