import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { jsonStream } from "../../../lib/http/json-stream.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { exportOfRequest } from "../../../lib/operations/data-requests/export.ts";
import * as requests from "../../../lib/operations/data-requests/requests.ts";
import {
  DataRequest,
  DataRequestCreate,
  DataRequestDecision,
  DataRequestQuery,
  UniversityExport,
} from "../../../schema/api/operations/data-requests.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/data-requests";
const university = pathIds("university_id");
const one = pathIds("university_id", "data_request_id");
const forOffice =
  "For who holds the office `data-request:write` there, whatever their roles, and never about themselves: 403 to everyone else.";

export const listDataRequests = endpoint(
  {
    id: "listDataRequests",
    method: "get",
    path: all,
    summary: "List what people have asked of their data at a university",
    description: forOffice,
    ...signedIn,
    params: university,
    query: DataRequestQuery,
    ...ok(listOf(DataRequest), "Each request with its dates, the newest first unless asked otherwise"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => requests.listDataRequests(deps.db, actor, params.university_id, query),
);

export const makeDataRequest = endpoint(
  {
    id: "makeDataRequest",
    method: "post",
    path: all,
    summary: "Write down what someone has asked of their data at a university",
    description: `${forOffice} Nothing is done by it, and the person is not told, until somebody else of the office has decided. Of each kind one request of a person is open at most.`,
    ...signedIn,
    params: university,
    body: DataRequestCreate,
    ...created(DataRequest, "The request"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    requests.makeDataRequest(deps.db, actor, params.university_id, body, deps.now()),
);

export const decideDataRequest = endpoint(
  {
    id: "decideDataRequest",
    method: "put",
    path: `${all}/{data_request_id}/decision`,
    summary: "Approve a request about someone's data, which has it done, or reject it",
    description:
      "Who made it approves it not: 403; they may reject it, and so take it back. An export can be downloaded for 7 days then, " +
      "and a correction is written at once, as staff's. An erasure goes in steps within the half hour, and is refused while " +
      "something of the person is held, and for who administers the university: their membership, roles and offices end, what is " +
      "their own there goes, and the record of examinations and the sums of reports stay under a number, as where an account is " +
      "erased; the account itself stays. The person is told by mail what was decided.",
    ...signedIn,
    params: one,
    body: DataRequestDecision,
    ...ok(DataRequest, "The request as it stands now"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => requests.decideDataRequest(deps.db, actor, params, body, deps.now()),
);

export const exportDataRequest = endpoint(
  {
    id: "exportDataRequest",
    method: "get",
    path: `${all}/{data_request_id}/export`,
    writes: "audit",
    summary: "Download what a university has of the person of an approved export",
    description:
      "One JSON object, sent as it is read, with the rows of each table under the table's name: what the person finds in " +
      "their own export, of this university alone. For 7 days after it was approved; each time is in the audit log.",
    ...signedIn,
    params: one,
    ...ok(UniversityExport, "The person's rows at the university"),
    fails: [400, 403, 404],
  },
  async ({ deps, actor, params, http }) =>
    jsonStream(http, await exportOfRequest(deps.db, actor, params, deps.now())),
);
