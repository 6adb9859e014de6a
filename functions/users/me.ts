import { signedIn } from "../../lib/auth/guards.ts";
import { endpoint, ok } from "../../lib/http/endpoint.ts";
import { overviewOf } from "../../lib/users/overview.ts";
import { profileOf, updateProfile } from "../../lib/users/profile.ts";
import { Overview, Profile, ProfileUpdate } from "../../schema/api/users.ts";

export const readMe = endpoint(
  {
    method: "get",
    path: "/me",
    summary: "Read one's own profile",
    ...signedIn,
    ...ok(Profile, "The caller's profile"),
  },
  ({ deps, actor }) => profileOf(actor, deps.now()),
);

export const readOverview = endpoint(
  {
    method: "get",
    path: "/me/overview",
    summary: "Read what one finds when one comes back",
    ...signedIn,
    ...ok(Overview, "Enrollments, recommendations, recent activity and the streak"),
  },
  ({ deps, actor }) => overviewOf(deps.db, actor, deps.now()),
);

export const updateMe = endpoint(
  {
    method: "put",
    path: "/me",
    summary: "Change one's own profile",
    ...signedIn,
    body: ProfileUpdate,
    ...ok(Profile, "The changed profile"),
  },
  ({ deps, actor, body }) => updateProfile(deps.db, actor, body, deps.now()),
);
