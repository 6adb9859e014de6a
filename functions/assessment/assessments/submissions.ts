import * as z from "zod";
import * as autoGrading from "../../../lib/assessment/auto-grading.ts";
import * as grading from "../../../lib/assessment/grade-submissions.ts";
import { signedSubmissionFileUrlsForGrader } from "../../../lib/assessment/grader-files.ts";
import * as overrides from "../../../lib/assessment/quiz-overrides.ts";
import * as submissions from "../../../lib/assessment/submissions.ts";
import { submitWork } from "../../../lib/assessment/submit.ts";
import { createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone, ownDataOrPermitted, permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  AutoGrade,
  AutoGradeResult,
  AutoGrader,
  GraderFiles,
  OwnSubmission,
  OwnSubmissionsQuery,
  QueuedSubmission,
  Submission,
  SubmissionCreate,
  SubmissionGrade,
  SubmissionOverride,
  SubmissionOverrideUpdate,
  SubmissionQueueQuery,
  SubmissionReturn,
} from "../../../schema/api/assessment/submissions.ts";
import { listOf, pagination, pathIds, pathWideIds } from "../../../schema/api/platform/fields.ts";

const assignment = "/offerings/{offering_id}/assignments/{assignment_id}";
const ofAssignment = pathIds("offering_id", "assignment_id");
const single = "/submissions/{submission_id}";
const params = pathWideIds("submission_id");

type AssignmentParams = z.output<typeof ofAssignment>;

/** Labs and assignments are both content items. */
const itemAt = ({ offering_id, assignment_id }: AssignmentParams) => ({
  offering_id,
  content_item_id: assignment_id,
});

export const createSubmission = endpoint(
  {
    id: "createSubmission",
    method: "post",
    path: `${assignment}/submissions`,
    summary: "Submit a lab or assignment",
    description:
      "`assignment_id` is the content item's id. Each submission is an attempt, up to the item's " +
      "`max_attempts`; returned ones do not count. Submitting the same work again before it is graded " +
      "changes nothing.",
    ...signedIn,
    params: ofAssignment,
    body: SubmissionCreate,
    ...createdOrFound(Submission, "The new attempt", "The same submission, still ungraded"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    submitWork(deps.db, actor, itemAt(params), body, deps.now(), deps.config),
);

export const listSubmissions = endpoint(
  {
    id: "listSubmissions",
    method: "get",
    path: "/offerings/{offering_id}/submissions",
    summary: "List submissions of an offering",
    description:
      "For the grading queue, send `status=submitted&newest=true&claimed=false&marked=false`. Read a " +
      "submission to get its content.",
    ...permittedTo("submission:read"),
    params: pathIds("offering_id"),
    query: SubmissionQueueQuery,
    ...ok(listOf(QueuedSubmission), "Submissions, oldest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    submissions.listSubmissions(deps.db, actor, params.offering_id, query, {
      now: deps.now(),
      secrets: deps.config,
    }),
);

export const listMySubmissions = endpoint(
  {
    id: "listMySubmissions",
    method: "get",
    path: "/my-submissions",
    summary: "List the caller's submissions",
    ...signedIn,
    query: OwnSubmissionsQuery,
    ...ok(listOf(OwnSubmission), "Submissions, newest first"),
  },
  ({ deps, actor, query }) => submissions.listOwnSubmissions(deps.db, actor, query),
);

export const getSubmission = endpoint(
  {
    id: "getSubmission",
    method: "get",
    path: single,
    summary: "Read a submission",
    description: "The learner sees grade and feedback once the item's grades are released.",
    ...ownDataOrPermitted("submission:read"),
    params,
    ...ok(Submission, "The submission with its content"),
    fails: [404],
  },
  ({ deps, actor, params }) => submissions.getSubmission(deps.db, actor, params.submission_id),
);

export const claimSubmission = endpoint(
  {
    id: "claimSubmission",
    method: "put",
    path: `${single}/claim`,
    summary: "Claim a submission for grading",
    description:
      "Other graders skip a claimed submission. A claim lasts 15 minutes, can be renewed for another 15, " +
      "and ends with grading.",
    ...permittedTo("submission:grade"),
    params,
    ...ok(Submission, "The submission"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => grading.claimSubmission(deps.db, actor, params.submission_id, deps.now()),
);

export const releaseSubmission = endpoint(
  {
    id: "releaseSubmission",
    method: "delete",
    path: `${single}/claim`,
    summary: "Release a claimed submission",
    ...permittedTo("submission:grade"),
    params,
    ...noContent("The caller no longer has a claim"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => grading.releaseSubmissionClaim(deps.db, actor, params.submission_id),
);

export const gradeSubmission = endpoint(
  {
    id: "gradeSubmission",
    method: "put",
    path: `${single}/grade`,
    summary: "Grade a submission",
    description:
      "Replaces any earlier grade and completes the item. With the item's `second_mark`, this is the " +
      "caller's mark, which the other marker sees after marking. Two equal marks become the grade; " +
      "otherwise use `agreed-grade`.",
    ...permittedTo("submission:grade"),
    params,
    body: SubmissionGrade,
    ...ok(Submission, "The submission"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    grading.gradeSubmission(deps.db, actor, params.submission_id, body, deps.now()),
);

export const agreeOnGrade = endpoint(
  {
    id: "agreeOnGrade",
    method: "put",
    path: `${single}/agreed-grade`,
    summary: "Set the agreed grade",
    description:
      "Requires both marks. The caller must be one of the markers, or have the right to finalize grades. " +
      "Can be repeated.",
    ...permittedTo("submission:grade"),
    params,
    body: SubmissionGrade,
    ...ok(Submission, "The submission"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    grading.agreeOnGrade(deps.db, actor, params.submission_id, body, deps.now()),
);

export const returnSubmission = endpoint(
  {
    id: "returnSubmission",
    method: "post",
    path: `${single}/return`,
    summary: "Return a submission for another attempt",
    description: "The learner sees the feedback immediately. An existing grade is withdrawn.",
    ...permittedTo("submission:grade"),
    params,
    body: SubmissionReturn,
    ...ok(Submission, "The submission"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    grading.returnSubmission(deps.db, actor, params.submission_id, body, deps.now()),
);

export const autoGradeSubmission = endpoint(
  {
    id: "autoGradeSubmission",
    method: "post",
    path: `${single}/auto-grade`,
    summary: "Submit a grade from an auto-grader",
    description:
      "Instead of a token, send the header `X-Grader-Signature: t=<milliseconds since " +
      "1970>,v1=<signature>`. The signature is the hexadecimal HMAC-SHA256 of " +
      "`<t>.<submission_id>.<body>` with the grader's secret, and is valid for five minutes. " +
      "Repeating a request changes nothing. A manual grade is kept. Returns 403 for the work of a " +
      "person who has read the secret, until it is renewed.",
    ...anyone,
    shares: "nothing",
    params,
    body: AutoGrade,
    ...ok(AutoGradeResult, "The outcome"),
    fails: [400, 401, 403, 404],
  },
  async ({ deps, params, body, http }) => {
    const call = {
      submissionId: params.submission_id,
      signature: http.req.header("x-grader-signature"),
      body: await http.req.text(),
    };
    return autoGrading.storeAutoGrade(deps.db, call, body, deps.config, deps.now());
  },
);

export const listFilesForGrader = endpoint(
  {
    id: "listFilesForGrader",
    method: "get",
    path: `${single}/auto-grade/files`,
    summary: "List submitted files for auto-graders",
    description:
      "Sign the request as for grades, with an empty body: the HMAC-SHA256 of `<t>.<submission_id>.`. " +
      "Returns READY files, each with an address that is valid for one hour and needs no token.",
    ...anyone,
    params,
    ...ok(GraderFiles, "The files, in the order of submission"),
    fails: [401, 503],
  },
  ({ deps, params, http }) => {
    const signature = http.req.header("x-grader-signature");
    const call = { submissionId: params.submission_id, signature, body: "" };
    return signedSubmissionFileUrlsForGrader(deps, call, publicUrl(http, deps.config));
  },
);

export const getAutoGrader = endpoint(
  {
    id: "getAutoGrader",
    method: "get",
    path: `${assignment}/auto-grader`,
    writes: "audit",
    summary: "Read an auto-grader's secret",
    description: "Recorded in the audit log.",
    ...permittedTo("auto-grader:read"),
    params: ofAssignment,
    ...ok(AutoGrader, "The secret, and who has read it"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    autoGrading.getAutoGraderSecretWithAudit(
      deps.db,
      actor,
      itemAt(params),
      deps.config.SECRET_KEY,
      deps.now(),
    ),
);

export const renewAutoGrader = endpoint(
  {
    id: "renewAutoGrader",
    method: "post",
    path: `${assignment}/auto-grader/renew`,
    summary: "Renew an auto-grader's secret",
    description:
      "Signatures with the former secret are rejected from then on. Renew it when a person who has " +
      "read it may no longer read it. Recorded in the audit log.",
    ...permittedTo("auto-grader:renew"),
    params: ofAssignment,
    ...ok(AutoGrader, "The new secret"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    autoGrading.renewAutoGraderSecret(deps.db, actor, itemAt(params), deps.config.SECRET_KEY, deps.now()),
);

export const listSubmissionOverrides = endpoint(
  {
    id: "listSubmissionOverrides",
    method: "get",
    path: `${assignment}/overrides`,
    summary: "List submission overrides",
    ...permittedTo("submission:grade"),
    params: ofAssignment,
    query: z.object(pagination),
    ...ok(listOf(SubmissionOverride), "Overrides, by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => overrides.listOverrides(deps.db, actor, "work", itemAt(params), query),
);

export const grantSubmissionOverride = endpoint(
  {
    id: "grantSubmissionOverride",
    method: "put",
    path: `${assignment}/overrides/{user_id}`,
    summary: "Grant a submission override",
    description:
      "Grants a learner more attempts or other dates, for later submissions. Null means the item's value. " +
      "Returns 403 for the caller's own override.",
    ...permittedTo("submission:grade"),
    params: pathIds("offering_id", "assignment_id", "user_id"),
    body: SubmissionOverrideUpdate,
    ...ok(SubmissionOverride, "The override"),
    fails: [403, 404],
  },
  async ({ deps, actor, params, body }) => {
    const path = { ...itemAt(params), user_id: params.user_id };
    const granted = await overrides.grantOverride(deps.db, actor, "work", path, body, deps.now());
    const { time_limit_seconds: _, ...override } = granted;
    return override;
  },
);
