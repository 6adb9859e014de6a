import * as overview from "../../../lib/courses/course-progress/learner-overview.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
import { setAvatar } from "../../../lib/identity/users/avatar.ts";
import * as profile from "../../../lib/identity/users/profile.ts";
import { readLearnerHome } from "../../../lib/operations/home/home.ts";
import { readTeachingOverview } from "../../../lib/operations/home/teaching.ts";
import { Avatar, AvatarUpdate } from "../../../schema/api/files/files.ts";
import {
  Overview,
  OwnRole,
  Profile,
  ProfileQuery,
  ProfileUpdate,
} from "../../../schema/api/identity/users.ts";
import { Home, HomeQuery } from "../../../schema/api/operations/home.ts";
import { Teaching } from "../../../schema/api/operations/teaching.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const getMyProfile = endpoint(
  {
    id: "getMyProfile",
    method: "get",
    path: "/me",
    summary: "Read the caller's profile",
    ...signedIn,
    query: ProfileQuery,
    ...ok(Profile, "The caller's profile"),
  },
  ({ deps, actor, query }) =>
    profile.readOwnProfile(deps.db, actor, deps.now(), { withLooks: query.looks === true }),
);

export const listMyRoles = endpoint(
  {
    id: "listMyRoles",
    method: "get",
    path: "/me/roles",
    summary: "List the caller's roles",
    description: "Roles and where they apply. Empty if the caller has no rights beyond being signed in.",
    ...signedIn,
    ...ok(
      listOf(OwnRole),
      "Roles, and instructor rights in taught offerings if the university-wide role is lower",
    ),
  },
  ({ actor }) => profile.toOwnRoles(actor),
);

export const getMyOverview = endpoint(
  {
    id: "getMyOverview",
    method: "get",
    path: "/me/overview",
    summary: "Read the caller's overview",
    ...signedIn,
    ...ok(Overview, "Enrollments, recommendations, recent activity and streak"),
  },
  ({ deps, actor }) => overview.getLearnerOverview(deps.db, actor, deps.now()),
);

export const getMyHome = endpoint(
  {
    id: "getMyHome",
    method: "get",
    settles: "grades",
    path: "/me/home",
    summary: "Read the caller's home screen",
    description:
      "The caller's courses, including waitlisted ones, with progress, next item and teachers. " +
      "Includes due work and unread counts.",
    ...signedIn,
    query: HomeQuery,
    ...ok(Home, "Courses, due work and unread counts"),
  },
  ({ deps, actor, query }) => readLearnerHome(deps.db, actor, query, deps.now()),
);

export const getMyTeaching = endpoint(
  {
    id: "getMyTeaching",
    method: "get",
    path: "/me/teaching",
    summary: "Read the caller's teaching overview",
    description:
      "Offerings of which the caller is staff, each with work to grade, questions to answer, stuck " +
      "learners and upcoming due dates. Empty if the caller is staff of none.",
    ...signedIn,
    ...ok(Teaching, "Offerings with pending tasks"),
  },
  ({ deps, actor }) => readTeachingOverview(deps.db, actor, deps.now()),
);

export const setMyAvatar = endpoint(
  {
    id: "setMyAvatar",
    method: "put",
    path: "/me/avatar",
    summary: "Set or remove the caller's picture",
    description: "The address of the previous picture becomes invalid.",
    ...signedInWithFullReach,
    body: AvatarUpdate,
    ...ok(Avatar, "The address of the picture"),
    fails: [400],
    refuses: { 400: ["does_not_exist"] },
  },
  ({ deps, actor, body }) => setAvatar(deps.db, actor, body.file_id, deps.now()),
);

export const updateMyProfile = endpoint(
  {
    id: "updateMyProfile",
    method: "put",
    path: "/me",
    summary: "Update the caller's profile",
    ...signedIn,
    query: ProfileQuery,
    body: ProfileUpdate,
    ...ok(Profile, "The updated profile"),
  },
  ({ deps, actor, query, body }) =>
    profile.updateProfile(deps.db, actor, body, deps.now(), { withLooks: query.looks === true }),
);
