import { group } from "../../lib/http/endpoint.ts";
import { getMyOverview, getMyProfile, updateMyProfile } from "./me.ts";
import { changeMyEmail, changeMyPassword, eraseMyAccount, exportMyData } from "./my-account.ts";
import { getUser, listUsers, setUserActive } from "./users.ts";

export const users = group("Users", "/users", [
  getMyProfile,
  getMyOverview,
  updateMyProfile,
  changeMyPassword,
  changeMyEmail,
  exportMyData,
  eraseMyAccount,
  listUsers,
  getUser,
  setUserActive,
]);
