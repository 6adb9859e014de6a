import * as groups from "../../../lib/courses/groups/groups.ts";
import * as members from "../../../lib/courses/groups/members.ts";
import * as dates from "../../../lib/courses/offerings/dates.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  Group,
  GroupCreate,
  GroupMember,
  GroupMemberPut,
  GroupQuery,
  GroupUpdate,
} from "../../../schema/api/courses/groups.ts";
import {
  OfferingDateLine,
  OfferingDatesQuery,
  OfferingDatesUpdate,
} from "../../../schema/api/courses/offering-dates.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{offering_id}/groups";
const single = `${all}/{group_id}`;
const inOffering = pathIds("offering_id");
const ofGroup = pathIds("offering_id", "group_id");
const ofMember = pathIds("offering_id", "group_id", "user_id");

export const listGroups = endpoint(
  {
    id: "listGroups",
    method: "get",
    path: all,
    summary: "List groups of an offering",
    description:
      "For people with an active or completed enrollment and for staff. Only staff can list members.",
    ...ownDataOrPermitted("discussion:read"),
    params: inOffering,
    query: GroupQuery,
    ...ok(listOf(Group), "Groups, in the order of creation"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => groups.listGroups(deps.db, actor, params.offering_id, query),
);

export const createGroup = endpoint(
  {
    id: "createGroup",
    method: "post",
    path: all,
    summary: "Create a group",
    ...permittedTo("enrollment:manage"),
    params: inOffering,
    body: GroupCreate,
    ...created(Group, "The new group"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => groups.createGroup(deps.db, actor, params.offering_id, body),
);

export const updateGroup = endpoint(
  {
    id: "updateGroup",
    method: "put",
    path: single,
    summary: "Update a group",
    description: "Absent fields keep their values. A smaller capacity removes no members.",
    ...permittedTo("enrollment:manage"),
    params: ofGroup,
    body: GroupUpdate,
    ...ok(Group, "The updated group"),
    fails: [400, 403, 404],
    refuses: { 400: ["already_taken"] },
  },
  ({ deps, actor, params, body }) => groups.updateGroup(deps.db, actor, params, body),
);

export const deleteGroup = endpoint(
  {
    id: "deleteGroup",
    method: "delete",
    path: single,
    summary: "Delete a group",
    description:
      "Deletes the group's dates, too: the offering's dates then apply to its members. Open attempts do " +
      "not end sooner.",
    ...permittedTo("enrollment:manage"),
    params: ofGroup,
    ...noContent("Deleted"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => groups.deleteGroup(deps.db, actor, params, deps.now()),
);

export const listGroupMembers = endpoint(
  {
    id: "listGroupMembers",
    method: "get",
    path: `${single}/members`,
    summary: "List members of a group",
    ...permittedTo("roster:read"),
    params: ofGroup,
    query: GroupQuery,
    ...ok(listOf(GroupMember), "Members, by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => members.listGroupMembers(deps.db, actor, params, query),
);

export const putGroupMember = endpoint(
  {
    id: "putGroupMember",
    method: "put",
    path: `${single}/members/{user_id}`,
    summary: "Add a person to a group",
    description:
      "Adds a member with a seat in the offering, or a person of its staff. Staff can add people even if " +
      "self-enrollment is off, up to the capacity. Later dates of the group apply to the new member's " +
      "open attempts and submissions.",
    ...permittedTo("enrollment:manage"),
    params: ofMember,
    body: GroupMemberPut,
    ...noContent("The person is in the group"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => members.putGroupMember(deps.db, actor, params, body, deps.now()),
);

export const removeGroupMember = endpoint(
  {
    id: "removeGroupMember",
    method: "delete",
    path: `${single}/members/{user_id}`,
    summary: "Remove a person from a group",
    ...permittedTo("enrollment:manage"),
    params: ofMember,
    ...noContent("Removed"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => members.removeGroupMember(deps.db, actor, params, deps.now()),
);

export const joinGroup = endpoint(
  {
    id: "joinGroup",
    method: "put",
    path: `${single}/membership`,
    summary: "Join a group",
    description: "Requires a seat in the offering. The group must have `self_enrollment` and free capacity.",
    ...ownDataOrPermitted("discussion:read"),
    params: ofGroup,
    ...noContent("The caller is a member"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => members.joinGroup(deps.db, actor, params, deps.now()),
);

export const leaveGroup = endpoint(
  {
    id: "leaveGroup",
    method: "delete",
    path: `${single}/membership`,
    summary: "Leave a group",
    description: "The group must have `self_enrollment`.",
    ...ownDataOrPermitted("discussion:read"),
    params: ofGroup,
    ...noContent("The caller is no longer a member"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => members.leaveGroup(deps.db, actor, params, deps.now()),
);

export const listGroupDates = endpoint(
  {
    id: "listGroupDates",
    method: "get",
    path: `${single}/dates`,
    summary: "Read the dates of a group",
    description:
      "Like the offering's dates: `own` has the group's dates, `course` the dates that apply without " +
      "the group. For members of several groups, the earliest opening and the latest due date apply.",
    ...permittedTo("enrollment:manage"),
    params: ofGroup,
    query: OfferingDatesQuery,
    ...ok(listOf(OfferingDateLine), "Modules and items in tree order"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => dates.listGroupDates(deps.db, actor, params, query),
);

export const setGroupDates = endpoint(
  {
    id: "setGroupDates",
    method: "put",
    path: `${single}/dates`,
    summary: "Set the dates of a group",
    description:
      "Replaces all dates that the group sets for each listed item or module. An absent date is inherited " +
      "from the offering, null means none. Unlisted entries stay. Later dates have the same effect as in " +
      "an offering.",
    ...permittedTo("offering:write"),
    params: ofGroup,
    body: OfferingDatesUpdate,
    ...ok(listOf(OfferingDateLine), "Modules and items in tree order"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => dates.setGroupDates(deps.db, actor, params, body, deps.now()),
);
