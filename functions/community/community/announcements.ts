import * as announcements from "../../../lib/community/announcements.ts";
import * as announcing from "../../../lib/community/announcing.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  Announcement,
  AnnouncementCreate,
  AnnouncementQuery,
  AnnouncementUpdate,
  OfferingAnnouncementQuery,
} from "../../../schema/api/courses/announcements.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("announcement_id");
const list = ok(listOf(Announcement), "Newest first");

export const listMyAnnouncements = endpoint(
  {
    id: "listMyAnnouncements",
    method: "get",
    path: "/announcements",
    summary: "List the announcements that are for oneself",
    description:
      "Of the offerings that the caller takes, has completed or teaches, and of the universities that they belong to.",
    ...signedIn,
    query: AnnouncementQuery,
    ...list,
  },
  ({ deps, actor, query }) => announcements.listMyAnnouncements(deps.db, actor, query, deps.now()),
);

export const listOfferingAnnouncements = endpoint(
  {
    id: "listOfferingAnnouncements",
    method: "get",
    path: "/offerings/{offering_id}/announcements",
    summary: "List the announcements of an offering",
    description:
      "For those whose enrollment is active or completed, and staff, who also see what is published later.",
    ...ownOr("discussion:read", "announcement:write"),
    params: pathIds("offering_id"),
    query: OfferingAnnouncementQuery,
    ...list,
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    announcements.listOfferingAnnouncements(deps.db, actor, params.offering_id, query, deps.now()),
);

export const createOfferingAnnouncement = endpoint(
  {
    id: "createOfferingAnnouncement",
    method: "post",
    path: "/offerings/{offering_id}/announcements",
    summary: "Announce something to an offering's people",
    description: "They are notified when it is published, soon after, also by mail as each of them wishes.",
    ...may("announcement:write"),
    params: pathIds("offering_id"),
    body: AnnouncementCreate,
    ...created(Announcement, "The announcement"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    announcing.announceInOffering(deps.db, actor, params.offering_id, body, deps.now()),
);

export const listUniversityAnnouncements = endpoint(
  {
    id: "listUniversityAnnouncements",
    method: "get",
    path: "/universities/{university_id}/announcements",
    summary: "List the announcements of a university",
    description: "For everyone who has a role or an enrollment in it. Those of its offerings stand there.",
    ...ownOr("university-announcement:write"),
    params: pathIds("university_id"),
    query: AnnouncementQuery,
    ...list,
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    announcements.listUniversityAnnouncements(deps.db, actor, params.university_id, query, deps.now()),
);

export const createUniversityAnnouncement = endpoint(
  {
    id: "createUniversityAnnouncement",
    method: "post",
    path: "/universities/{university_id}/announcements",
    summary: "Announce something to everyone of a university",
    ...may("university-announcement:write"),
    params: pathIds("university_id"),
    body: AnnouncementCreate,
    ...created(Announcement, "The announcement"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    announcing.announceInUniversity(deps.db, actor, params.university_id, body, deps.now()),
);

export const getAnnouncement = endpoint(
  {
    id: "getAnnouncement",
    method: "get",
    path: "/announcements/{announcement_id}",
    summary: "Get an announcement",
    description: "It is read when its reader says so, and not by this.",
    ...ownOr("discussion:read", "announcement:write", "university-announcement:write"),
    params,
    ...ok(Announcement, "The announcement"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    announcements.getAnnouncement(deps.db, actor, params.announcement_id, deps.now()),
);

export const updateAnnouncement = endpoint(
  {
    id: "updateAnnouncement",
    method: "put",
    path: "/announcements/{announcement_id}",
    summary: "Change an announcement",
    description:
      "Its readers see it as it is by now, and are not told again. One that moves ahead is hidden until then.",
    ...may("announcement:write", "university-announcement:write"),
    params,
    body: AnnouncementUpdate,
    ...ok(Announcement, "The changed announcement"),
    fails: [404],
  },
  ({ deps, actor, params, body }) =>
    announcing.updateAnnouncement(deps.db, actor, params.announcement_id, body, deps.now()),
);

export const deleteAnnouncement = endpoint(
  {
    id: "deleteAnnouncement",
    method: "delete",
    path: "/announcements/{announcement_id}",
    summary: "Take an announcement back",
    ...may("announcement:write", "university-announcement:write"),
    params,
    ...noContent("It is gone, with the notifications of it"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    announcing.deleteAnnouncement(deps.db, actor, params.announcement_id, deps.now()),
);

export const readAnnouncement = endpoint(
  {
    id: "readAnnouncement",
    method: "put",
    path: "/announcements/{announcement_id}/read",
    summary: "Mark an announcement as read",
    ...ownOr("discussion:read", "announcement:write", "university-announcement:write"),
    params,
    ...noContent("It is read, also among the notifications"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    announcements.readAnnouncement(deps.db, actor, params.announcement_id, deps.now()),
);
