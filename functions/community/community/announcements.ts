import * as announcements from "../../../lib/community/announcements.ts";
import * as announcing from "../../../lib/community/announcing.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  Announcement,
  AnnouncementCreate,
  AnnouncementQuery,
  AnnouncementUpdate,
  OfferingAnnouncementQuery,
} from "../../../schema/api/courses/announcements.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const params = pathIds("announcement_id");
const list = ok(listOf(Announcement), "Announcements, newest first");

export const listMyAnnouncements = endpoint(
  {
    id: "listMyAnnouncements",
    method: "get",
    path: "/announcements",
    summary: "List the caller's announcements",
    description: "Covers offerings that the caller takes, has completed or teaches, and their universities.",
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
    summary: "List announcements of an offering",
    description:
      "For people with an active or completed enrollment and for staff. Staff also see scheduled " +
      "announcements.",
    ...ownDataOrPermitted("discussion:read", "announcement:write"),
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
    summary: "Create an announcement for an offering",
    description:
      "Soon after publication, the recipients are notified, also by mail according to their preferences.",
    ...permittedTo("announcement:write"),
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
    summary: "List announcements of a university",
    description:
      "For everyone with a role or an enrollment in the university. Does not include announcements of " +
      "offerings.",
    ...ownDataOrPermitted("university-announcement:write"),
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
    summary: "Create an announcement for a university",
    ...permittedTo("university-announcement:write"),
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
    summary: "Read an announcement",
    description: "Does not mark the announcement as read.",
    ...ownDataOrPermitted("discussion:read", "announcement:write", "university-announcement:write"),
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
    summary: "Update an announcement",
    description:
      "Readers see the new version and are not notified again. If the publication date moves to the " +
      "future, the announcement is hidden until then.",
    ...permittedTo("announcement:write", "university-announcement:write"),
    params,
    body: AnnouncementUpdate,
    ...ok(Announcement, "The updated announcement"),
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
    summary: "Delete an announcement",
    ...permittedTo("announcement:write", "university-announcement:write"),
    params,
    ...noContent("Deleted, with its notifications"),
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
    ...ownDataOrPermitted("discussion:read", "announcement:write", "university-announcement:write"),
    params,
    ...noContent("Marked as read, with its notification"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    announcements.markAnnouncementRead(deps.db, actor, params.announcement_id, deps.now()),
);
