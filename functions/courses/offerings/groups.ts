import * as groups from "../../../lib/courses/groups/groups.ts";
import * as members from "../../../lib/courses/groups/members.ts";
import * as dates from "../../../lib/courses/offerings/dates.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr } from "../../../lib/identity/auth/guards.ts";
import {
  Group,
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
    summary: "List the groups of an offering",
    description:
      "For those whose enrollment is active or completed, and staff. Who else is in them, staff alone see.",
    ...ownOr("discussion:read"),
    params: inOffering,
    query: GroupQuery,
    ...ok(listOf(Group), "In the order in which they were made"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => groups.listGroups(deps.db, actor, params.offering_id, query),
);

export const createGroup = endpoint(
  {
    id: "createGroup",
    method: "post",
    path: all,
    summary: "Make a group of an offering",
    ...may("enrollment:manage"),
    params: inOffering,
    body: GroupUpdate,
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
    summary: "Change a group",
    description: "What is absent is as of a new one. A smaller capacity puts nobody out.",
    ...may("enrollment:manage"),
    params: ofGroup,
    body: GroupUpdate,
    ...ok(Group, "The group as it is then"),
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
      "With its dates: for who was in it the offering's hold from then on, and what is open ends no sooner.",
    ...may("enrollment:manage"),
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
    summary: "List who is in a group",
    ...may("roster:read"),
    params: ofGroup,
    query: GroupQuery,
    ...ok(listOf(GroupMember), "By person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => members.listGroupMembers(deps.db, actor, params, query),
);

export const putGroupMember = endpoint(
  {
    id: "putGroupMember",
    method: "put",
    path: `${single}/members/{user_id}`,
    summary: "Put someone into a group",
    description:
      "As a member, who has a place in the offering, or as its staff. Staff do it also where it is not open, and no one beyond its capacity. What a new member has under way, and has handed in, takes the group's later dates.",
    ...may("enrollment:manage"),
    params: ofMember,
    body: GroupMemberPut,
    ...noContent("They are in it"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => members.putGroupMember(deps.db, actor, params, body, deps.now()),
);

export const removeGroupMember = endpoint(
  {
    id: "removeGroupMember",
    method: "delete",
    path: `${single}/members/{user_id}`,
    summary: "Take someone out of a group",
    ...may("enrollment:manage"),
    params: ofMember,
    ...noContent("They are not in it any more"),
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
    description: "One of `self_enrollment` that is not full, by who has a place in the offering.",
    ...ownOr("discussion:read"),
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
    description: "One of `self_enrollment`.",
    ...ownOr("discussion:read"),
    params: ofGroup,
    ...noContent("The caller is no member any more"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => members.leaveGroup(deps.db, actor, params, deps.now()),
);

export const listGroupDates = endpoint(
  {
    id: "listGroupDates",
    method: "get",
    path: `${single}/dates`,
    summary: "Read the calendar of a group",
    description:
      "As that of its offering: `own` is what is said for the group, and `course` what holds without it. Of several groups of a person the earliest opening holds and the latest due date.",
    ...may("enrollment:manage"),
    params: ofGroup,
    query: OfferingDatesQuery,
    ...ok(listOf(OfferingDateLine), "Modules and items in the order of the tree"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => dates.listGroupDates(deps.db, actor, params, query),
);

export const setGroupDates = endpoint(
  {
    id: "setGroupDates",
    method: "put",
    path: `${single}/dates`,
    summary: "Set dates of a group",
    description:
      "Of each item or module that is named all that is said for the group from then on: a date that is absent is left to the offering, null is none. Others stay. Later dates are taken as of the offering's.",
    ...may("offering:write"),
    params: ofGroup,
    body: OfferingDatesUpdate,
    ...ok(listOf(OfferingDateLine), "Modules and items in the order of the tree"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => dates.setGroupDates(deps.db, actor, params, body, deps.now()),
);
