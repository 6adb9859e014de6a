import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  createGroup,
  deleteGroup,
  joinGroup,
  leaveGroup,
  listGroupDates,
  listGroupMembers,
  listGroups,
  putGroupMember,
  removeGroupMember,
  setGroupDates,
  updateGroup,
} from "./groups.ts";
import { makeLtiLinks } from "./lti-links.ts";
import { listLtiRosters, readLtiRoster } from "./lti-rosters.ts";
import {
  launchLtiTool,
  launchNavigationLtiTool,
  listNavigationLtiTools,
  reviewLtiToolSubmission,
} from "./lti-tools.ts";
import { listOfferings } from "./offerings.ts";
import { listOfferingStaff, updateOfferingStaff } from "./staff.ts";
import { getTutorInbox } from "./tutor-inbox.ts";

export const offerings = createEndpointGroup("Offerings", "/offerings", [
  listOfferings,
  getTutorInbox,
  listLtiRosters,
  readLtiRoster,
  makeLtiLinks,
  launchLtiTool,
  listNavigationLtiTools,
  launchNavigationLtiTool,
  reviewLtiToolSubmission,
  listOfferingStaff,
  updateOfferingStaff,
  listGroups,
  createGroup,
  updateGroup,
  deleteGroup,
  listGroupMembers,
  putGroupMember,
  removeGroupMember,
  joinGroup,
  leaveGroup,
  listGroupDates,
  setGroupDates,
]);
