import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { createMyCalendarAddress, deleteMyCalendarAddress, getCalendar, getMyCalendar } from "./calendar.ts";
import { showMailUnsubscription, unsubscribeFromMail } from "./mail-preferences.ts";
import {
  getMyHome,
  getMyOverview,
  getMyProfile,
  getMyTeaching,
  listMyRoles,
  setMyAvatar,
  updateMyProfile,
} from "./me.ts";
import { changeMyEmail, changeMyPassword, eraseMyAccount, exportMyData } from "./my-account.ts";
import { acceptMyInvitation } from "./my-invitations.ts";
import { acceptMyOffer, declineMyOffer, listMyOffers } from "./my-offers.ts";
import { listMyOffices } from "./my-offices.ts";
import {
  getMyNotificationPreferences,
  listMyNotifications,
  readMyNotifications,
  updateMyNotificationPreferences,
} from "./notifications.ts";
import { getUser, listUserEnrollments, listUsers, setUserActive } from "./users.ts";

export const users = createEndpointGroup("Users", "/users", [
  getMyProfile,
  getMyHome,
  getMyTeaching,
  getMyOverview,
  listMyRoles,
  updateMyProfile,
  setMyAvatar,
  changeMyPassword,
  changeMyEmail,
  acceptMyInvitation,
  listMyOffers,
  listMyOffices,
  acceptMyOffer,
  declineMyOffer,
  exportMyData,
  eraseMyAccount,
  listMyNotifications,
  readMyNotifications,
  getMyNotificationPreferences,
  updateMyNotificationPreferences,
  getMyCalendar,
  createMyCalendarAddress,
  deleteMyCalendarAddress,
  getCalendar,
  showMailUnsubscription,
  unsubscribeFromMail,
  listUsers,
  getUser,
  listUserEnrollments,
  setUserActive,
]);
