import { csvFileResponse } from "../../../lib/http/csv-file.ts";
import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import * as attempts from "../../../lib/integrations/scorm/attempts.ts";
import * as committing from "../../../lib/integrations/scorm/commit.ts";
import * as launching from "../../../lib/integrations/scorm/launch.ts";
import {
  MyScormAttempt,
  MyScormAttemptsQuery,
  ScormAttempt,
  ScormAttemptsQuery,
  ScormCommit,
  ScormCommitCreate,
  ScormLaunch,
  ScormLaunchCreate,
} from "../../../schema/api/integrations/scorm.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const item = "/offerings/{offering_id}/items/{scorm_item_id}";
const params = pathIds("offering_id", "scorm_item_id");
const pathOf = (given: { offering_id: number; scorm_item_id: number }) => ({
  offering_id: given.offering_id,
  content_item_id: given.scorm_item_id,
});

export const launchScorm = endpoint(
  {
    id: "launchScorm",
    method: "post",
    path: `${item}/launches`,
    summary: "Launch a SCORM package",
    description:
      "Starts or continues the caller's attempt and returns the page to frame with the runtime data to resume " +
      "from. Ends any session of the attempt in another window or on another device. Returns 503 if the " +
      "service has no origin for packages.",
    ...ownDataOrPermitted("content:write"),
    params,
    body: ScormLaunchCreate,
    ...created(ScormLaunch, "The session"),
    fails: [400, 403, 404, 503],
  },
  ({ deps, actor, params, body, http }) =>
    launching.launchScorm(deps, actor, pathOf(params), body, http.req.url),
);

export const commitScorm = endpoint(
  {
    id: "commitScorm",
    method: "post",
    path: "/commits",
    summary: "Store runtime data of SCORM",
    description:
      "Stores the data and the result in one write. Repeat it until it succeeds: a repeated or late commit " +
      "changes nothing. Returns 409 once a later launch owns the attempt.",
    ...signedIn,
    body: ScormCommitCreate,
    ...ok(ScormCommit, "The attempt's result"),
    fails: [400, 403, 409],
  },
  ({ deps, actor, body }) => committing.commitScorm(deps, actor, body),
);

export const listScormAttempts = endpoint(
  {
    id: "listScormAttempts",
    method: "get",
    path: `${item}/attempts`,
    summary: "List attempts at a SCORM package",
    ...permittedTo("attempt:read"),
    params,
    query: ScormAttemptsQuery,
    ...ok(listOf(ScormAttempt), "Attempts by person and number", {
      "text/csv":
        "user_id,full_name,email,attempt_number,started_at,committed_at,completed_at,passed,score_scaled,total_seconds\r\n" +
        "7,Ada Lovelace,ada@example.edu,1,2026-09-01T08:00:00.000Z,2026-09-01T08:20:00.000Z,2026-09-01T08:20:00.000Z,true,0.85,1180\r\n",
    }),
    fails: [403, 404],
  },
  async ({ deps, actor, params, query: { format, ...query }, http }) => {
    const listed = await attempts.listScormAttempts(deps.db, actor, pathOf(params), query);
    return format === "json" ? listed : csvFileResponse(http, attempts.scormAttemptsCsv(listed.items));
  },
);

export const listMyScormAttempts = endpoint(
  {
    id: "listMyScormAttempts",
    method: "get",
    path: "/my-attempts",
    summary: "List the caller's SCORM attempts",
    ...signedIn,
    query: MyScormAttemptsQuery,
    ...ok(listOf(MyScormAttempt), "Attempts, newest first"),
  },
  ({ deps, actor, query }) => attempts.listMyScormAttempts(deps.db, actor, query),
);
