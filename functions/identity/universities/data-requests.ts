import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { jsonStreamResponse } from "../../../lib/http/json-stream.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { streamDataRequestExport } from "../../../lib/operations/data-requests/export.ts";
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
  "Requires the office `data-request:write` in the university, which no role includes. Returns 403 " +
  "otherwise, and for requests about the caller.";

export const listDataRequests = endpoint(
  {
    id: "listDataRequests",
    method: "get",
    path: all,
    summary: "List data requests of a university",
    description: forOffice,
    ...signedIn,
    params: university,
    query: DataRequestQuery,
    ...ok(listOf(DataRequest), "Requests with their dates, newest first by default"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => requests.listDataRequests(deps.db, actor, params.university_id, query),
);

export const makeDataRequest = endpoint(
  {
    id: "makeDataRequest",
    method: "post",
    path: all,
    summary: "Record a data request",
    description: `${forOffice} Nothing happens, and the person is not notified, until another holder of the office decides. A person can have one open request of each kind.`,
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
    summary: "Decide a data request",
    description:
      `${forOffice} Approval carries out the request. The creator cannot approve it (403), but may ` +
      "reject it to withdraw it. An export can then be downloaded for 7 days. A correction is " +
      "written immediately, as if by staff. An erasure runs in steps within half an hour. It is " +
      "rejected for people under a retention hold and for the university's administrators. It ends " +
      "the person's membership, roles and offices, and deletes their own data in the university. " +
      "Exam records and report totals are kept under a number, without personal data. The account " +
      "itself stays. The person is notified of the decision by mail.",
    ...signedIn,
    params: one,
    body: DataRequestDecision,
    ...ok(DataRequest, "The decided request"),
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
    summary: "Download an approved data export",
    description:
      `${forOffice} ` +
      "Streams one JSON object with the rows of each table under its name. Contains the same rows as the " +
      "person's own export, for this university only. Available for 7 days after approval. Each download " +
      "is recorded in the audit log.",
    ...signedIn,
    params: one,
    ...ok(UniversityExport, "The person's rows in the university"),
    fails: [400, 403, 404],
  },
  async ({ deps, actor, params, http }) =>
    jsonStreamResponse(http, await streamDataRequestExport(deps.db, actor, params, deps.now())),
);
