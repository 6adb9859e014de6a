import { group } from "../../lib/http/endpoint.ts";
import { getMyOverview, getMyProfile, updateMyProfile } from "./me.ts";
import { getUser, listUsers } from "./users.ts";

export const users = group("Users", "/users", [
  getMyProfile,
  getMyOverview,
  updateMyProfile,
  listUsers,
  getUser,
]);
