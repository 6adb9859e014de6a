import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { countRowsToDeleteRecordingReview } from "../../../lib/operations/retention/count.ts";
import * as holds from "../../../lib/operations/retention/holds.ts";
import * as runs from "../../../lib/operations/retention/runs.ts";
import * as settings from "../../../lib/operations/retention/settings.ts";
import {
  Retention,
  RetentionCount,
  RetentionHold,
  RetentionHoldCreate,
  RetentionQuery,
  RetentionRun,
  RetentionUpdate,
} from "../../../schema/api/operations/retention.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/retention";
const university = pathIds("university_id");
const forOffice =
  "Requires the office `retention:write` in the university, which no role includes. Returns 403 " +
  "otherwise.";

export const getRetention = endpoint(
  {
    id: "getRetention",
    method: "get",
    path: all,
    summary: "Read the retention policy",
    description: `${forOffice} Kinds without a period are kept, except as limited by the platform's settings.`,
    ...signedIn,
    params: university,
    ...ok(Retention, "Retention period and first deletion of each kind"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => settings.getRetention(deps.db, actor, params.university_id),
);

export const setRetention = endpoint(
  {
    id: "setRetention",
    method: "put",
    path: all,
    summary: "Set the retention policy",
    description:
      `${forOffice} ` +
      "Periods are in days after the end of the offering's term, or of the offering. Without an end, they " +
      "start at the person's last activity in the course. They never start before the record itself. New " +
      "or shortened periods take effect after at least 30 days, and only once a dry run was read. Returns " +
      "400 if grades are kept for less time than submissions.",
    ...signedIn,
    params: university,
    body: RetentionUpdate,
    ...ok(Retention, "The current policy"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    settings.setRetention(deps.db, actor, params.university_id, body, deps.now()),
);

export const countRetention = endpoint(
  {
    id: "countRetention",
    method: "post",
    path: `${all}/dry-run`,
    summary: "Run a retention dry run",
    description:
      `${forOffice} ` +
      "Counts the records that each period would delete at its first run, or now if that is past. Records " +
      "the dry run as read. A period deletes nothing until a dry run was read.",
    ...signedIn,
    params: university,
    ...ok(RetentionCount.array(), "Number of records to delete by kind"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    countRowsToDeleteRecordingReview(deps.db, actor, params.university_id, deps.now()),
);

export const listRetentionHolds = endpoint(
  {
    id: "listRetentionHolds",
    method: "get",
    path: `${all}/holds`,
    summary: "List retention holds",
    description: forOffice,
    ...signedIn,
    params: university,
    query: RetentionQuery,
    ...ok(listOf(RetentionHold), "Holds with their reasons"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => holds.listRetentionHolds(deps.db, actor, params.university_id, query),
);

export const placeRetentionHold = endpoint(
  {
    id: "placeRetentionHold",
    method: "post",
    path: `${all}/holds`,
    summary: "Place a retention hold",
    description:
      `${forOffice} ` +
      "Covers a person or an offering. The hold stops all deletion by retention periods, also in a " +
      "running run. If holds overlap, the last to end decides. It does not prevent people from erasing " +
      "their own account.",
    ...signedIn,
    params: university,
    body: RetentionHoldCreate,
    ...created(RetentionHold, "The hold"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    holds.placeRetentionHold(deps.db, actor, params.university_id, body, deps.now()),
);

export const releaseRetentionHold = endpoint(
  {
    id: "releaseRetentionHold",
    method: "delete",
    path: `${all}/holds/{hold_id}`,
    summary: "Release a retention hold",
    description: forOffice,
    ...signedIn,
    params: pathIds("university_id", "hold_id"),
    ...noContent("Released; retention periods apply again"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => holds.releaseRetentionHold(deps.db, actor, params),
);

export const listRetentionRuns = endpoint(
  {
    id: "listRetentionRuns",
    method: "get",
    path: `${all}/runs`,
    summary: "List retention runs",
    description: forOffice,
    ...signedIn,
    params: university,
    query: RetentionQuery,
    ...ok(listOf(RetentionRun), "Runs, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => runs.listRetentionRuns(deps.db, actor, params.university_id, query),
);
