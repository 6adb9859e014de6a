import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { countForgotten } from "../../../lib/operations/retention/count.ts";
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
  "For who holds the office `retention:write` there, whatever their roles: 403 to everyone else.";

export const getRetention = endpoint(
  {
    id: "getRetention",
    method: "get",
    path: all,
    summary: "Get how long a university keeps what its people leave behind",
    description: `${forOffice} What is set for no kind is never forgotten, beyond what the settings of the platform forget.`,
    ...signedIn,
    params: university,
    ...ok(Retention, "How long each kind is kept, and from when on it is forgotten"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => settings.getRetention(deps.db, actor, params.university_id),
);

export const setRetention = endpoint(
  {
    id: "setRetention",
    method: "put",
    path: all,
    summary: "Set how long a university keeps what its people leave behind",
    description:
      "In days after the end of the term: that of the offering's term, else of the offering itself; of what has no end, " +
      "after the person last acted in the course; and never sooner than so many days after the thing itself. What is new or " +
      "shorter than before is forgotten after 30 days at the earliest, and not before its dry run was read. Grades are kept " +
      "for as long as submissions at least: a 400.",
    ...signedIn,
    params: university,
    body: RetentionUpdate,
    ...ok(Retention, "What holds now"),
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
    summary: "Count what would be forgotten, and note that it was read",
    description:
      "Of each kind that has a period, as of its first run or, where that is past, of now. Nothing is forgotten by a period " +
      "that no dry run was read of.",
    ...signedIn,
    params: university,
    ...ok(RetentionCount.array(), "How much would go, by kind"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => countForgotten(deps.db, actor, params.university_id, deps.now()),
);

export const listRetentionHolds = endpoint(
  {
    id: "listRetentionHolds",
    method: "get",
    path: `${all}/holds`,
    summary: "List what is held in a university, whatever the periods say",
    description: forOffice,
    ...signedIn,
    params: university,
    query: RetentionQuery,
    ...ok(listOf(RetentionHold), "Each hold, with its reason"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => holds.listRetentionHolds(deps.db, actor, params.university_id, query),
);

export const placeRetentionHold = endpoint(
  {
    id: "placeRetentionHold",
    method: "post",
    path: `${all}/holds`,
    summary: "Hold what there is of a person, or of an offering",
    description:
      "Nothing of it is forgotten from now on, also where a run is under way; of several the last to end counts. It stands in " +
      "the way of nobody who erases their own account.",
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
    summary: "Release what was held",
    ...signedIn,
    params: pathIds("university_id", "hold_id"),
    ...noContent("It is forgotten in its time"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => holds.releaseRetentionHold(deps.db, actor, params),
);

export const listRetentionRuns = endpoint(
  {
    id: "listRetentionRuns",
    method: "get",
    path: `${all}/runs`,
    summary: "List what was forgotten in a university, and when",
    description: forOffice,
    ...signedIn,
    params: university,
    query: RetentionQuery,
    ...ok(listOf(RetentionRun), "Each time, the last first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => runs.listRetentionRuns(deps.db, actor, params.university_id, query),
);
