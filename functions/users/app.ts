import { group } from "../../lib/http/endpoint.ts";
import { getMyHome, getMyOverview, getMyProfile, updateMyProfile } from "./me.ts";
import { changeMyEmail, changeMyPassword, eraseMyAccount, exportMyData } from "./my-account.ts";
import { acceptMyInvitation } from "./my-invitations.ts";
import { getUser, listUserEnrollments, listUsers, setUserActive } from "./users.ts";

export const users = group("Users", "/users", [
  getMyProfile,
  getMyHome,
  getMyOverview,
  updateMyProfile,
  changeMyPassword,
  changeMyEmail,
  acceptMyInvitation,
  exportMyData,
  eraseMyAccount,
  listUsers,
  getUser,
  listUserEnrollments,
  setUserActive,
]);
