import { signedIn } from "../../lib/auth/guards.ts";
import { endpoint, ok } from "../../lib/http/endpoint.ts";
import { profileOf, updateProfile } from "../../lib/users/profile.ts";
import { Profile, ProfileUpdate } from "../../schema/api/users.ts";

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
