import { listPersonEnrollments } from "../../../lib/courses/enrollments/enrollments.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { setAccountActive } from "../../../lib/identity/accounts/set-account-active.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as people from "../../../lib/identity/users/people.ts";
import { Enrollment, EnrollmentQuery } from "../../../schema/api/courses/enrollments.ts";
import { AccountState } from "../../../schema/api/identity/accounts.ts";
import { UserQuery, UserWithMemberships } from "../../../schema/api/identity/users.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

export const listUsers = endpoint(
  {
    id: "listUsers",
    method: "get",
    path: "/",
    summary: "List people",
    description:
      "Staff see the people of their universities, platform administrators see everyone, others see " +
      "themselves. People with an open offer appear after they accept it.",
    ...ownDataOrPermitted("user:read", "user:read-all"),
    scope: "people:read",
    query: UserQuery,
    ...ok(listOf(UserWithMemberships), "People, by id by default"),
  },
  ({ deps, actor, query }) => people.listUsers(deps.db, actor, query, deps.now()),
);

export const getUser = endpoint(
  {
    id: "getUser",
    method: "get",
    path: "/{user_id}",
    summary: "Read a person",
    ...ownDataOrPermitted("user:read", "user:read-all"),
    scope: "people:read",
    params: pathIds("user_id"),
    ...ok(UserWithMemberships, "The person"),
    fails: [404],
  },
  ({ deps, actor, params }) => people.getUser(deps.db, actor, params.user_id, deps.now()),
);

export const listUserEnrollments = endpoint(
  {
    id: "listUserEnrollments",
    method: "get",
    path: "/{user_id}/enrollments",
    summary: "List a person's enrollments",
    description:
      "Only enrollments in courses whose enrollments the caller manages, or all of the caller's own.",
    ...ownDataOrPermitted("enrollment:manage", "user:read-all"),
    scope: "people:read",
    params: pathIds("user_id"),
    query: EnrollmentQuery,
    ...ok(listOf(Enrollment), "Enrollments of every status, newest first by default"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listPersonEnrollments(deps.db, actor, params.user_id, query),
);

export const setUserActive = endpoint(
  {
    id: "setUserActive",
    method: "patch",
    path: "/{user_id}",
    summary: "Activate or deactivate an account",
    description:
      "Deactivation revokes all tokens of the person. To suspend a person in a university, use `PATCH " +
      "/universities/{university_id}/members/{user_id}`.",
    ...permittedTo("user:deactivate-anyone"),
    params: pathIds("user_id"),
    body: AccountState,
    ...ok(UserWithMemberships, "The person"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) =>
    setAccountActive(deps.db, actor, params.user_id, body.is_active, deps.now()),
);
