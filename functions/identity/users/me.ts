import * as overview from "../../../lib/courses/course-progress/overview.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn, signedInWholly } from "../../../lib/identity/auth/guards.ts";
import { setAvatar } from "../../../lib/identity/users/avatar.ts";
import * as profile from "../../../lib/identity/users/profile.ts";
import { homeOf } from "../../../lib/operations/home/home.ts";
import { teachingOf } from "../../../lib/operations/home/teaching.ts";
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
    summary: "Read one's own profile",
    ...signedIn,
    query: ProfileQuery,
    ...ok(Profile, "The caller's profile"),
  },
  ({ deps, actor, query }) =>
    profile.profileOf(deps.db, actor, deps.now(), { withLooks: query.looks === true }),
);

export const listMyRoles = endpoint(
  {
    id: "listMyRoles",
    method: "get",
    path: "/me/roles",
    summary: "List one's own roles",
    description: "What the caller may do, and where; none says that they are no more than signed in.",
    ...signedIn,
    ...ok(
      listOf(OwnRole),
      "Roles held, and those that teaching an offering brings to who is less in the whole university",
    ),
  },
  ({ actor }) => profile.rolesOf(actor),
);

export const getMyOverview = endpoint(
  {
    id: "getMyOverview",
    method: "get",
    path: "/me/overview",
    summary: "Read what one finds when one comes back",
    ...signedIn,
    ...ok(Overview, "Enrollments, recommendations, recent activity and the streak"),
  },
  ({ deps, actor }) => overview.overviewOf(deps.db, actor, deps.now()),
);

export const getMyHome = endpoint(
  {
    id: "getMyHome",
    method: "get",
    path: "/me/home",
    summary: "Read what one's first screen shows",
    description:
      "The courses that the caller takes or waits for, each with the progress, the next item and the teachers, " +
      "what is due in them, and how much is unread.",
    ...signedIn,
    query: HomeQuery,
    ...ok(Home, "Courses, what is due, and what is unread"),
  },
  ({ deps, actor, query }) => homeOf(deps.db, actor, query, deps.now()),
);

export const getMyTeaching = endpoint(
  {
    id: "getMyTeaching",
    method: "get",
    path: "/me/teaching",
    summary: "Read what needs doing where one teaches",
    description:
      "The offerings whose staff the caller is, each with what waits to be graded and to be answered, who is stuck, and what is " +
      "due soon. Empty for whoever is staff nowhere.",
    ...signedIn,
    ...ok(Teaching, "Offerings, and what needs doing in each"),
  },
  ({ deps, actor }) => teachingOf(deps.db, actor, deps.now()),
);

export const setMyAvatar = endpoint(
  {
    id: "setMyAvatar",
    method: "put",
    path: "/me/avatar",
    summary: "Show another picture of oneself, or none",
    description: "The address of the one before ends.",
    ...signedInWholly,
    body: AvatarUpdate,
    ...ok(Avatar, "Where it is read"),
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
    summary: "Change one's own profile",
    ...signedIn,
    query: ProfileQuery,
    body: ProfileUpdate,
    ...ok(Profile, "The changed profile"),
  },
  ({ deps, actor, query, body }) =>
    profile.updateProfile(deps.db, actor, body, deps.now(), { withLooks: query.looks === true }),
);
