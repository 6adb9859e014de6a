import * as z from "zod";
import * as autoGrading from "../../../lib/assessment/auto-grading.ts";
import { filesForGrader } from "../../../lib/assessment/grader-files.ts";
import * as grading from "../../../lib/assessment/grading-work.ts";
import * as overrides from "../../../lib/assessment/quiz-overrides.ts";
import * as submissions from "../../../lib/assessment/submissions.ts";
import { submitWork } from "../../../lib/assessment/submit.ts";
import { createdOrFound, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone, may, ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Hand in work for a lab or an assignment",
    description:
      "`assignment_id` is the content item's id. Each time is another attempt, as many as the item's `max_attempts` allows; what was returned does not count. The same once more, before it is graded, changes nothing.",
    ...signedIn,
    params: ofAssignment,
    body: SubmissionCreate,
    ...createdOrFound(Submission, "The new attempt", "The same, which waits for its grade already"),
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
    summary: "List the submissions in an offering, as a queue to grade",
    description:
      "What is left to do: `status=submitted&newest=true&claimed=false&marked=false`. What was handed in is in the submission itself.",
    ...may("submission:read"),
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
    summary: "List one's own submissions",
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
    summary: "Read a submission with what was handed in",
    description: "Its owner sees the grade and the feedback once grades of the item are released.",
    ...ownOr("submission:read"),
    params,
    ...ok(Submission, "The submission"),
    fails: [404],
  },
  ({ deps, actor, params }) => submissions.getSubmission(deps.db, actor, params.submission_id),
);

export const claimSubmission = endpoint(
  {
    id: "claimSubmission",
    method: "put",
    path: `${single}/claim`,
    summary: "Claim a submission, so that no other grader looks at it too",
    description: "For 15 minutes, and again for 15 when it is claimed anew; grading ends it.",
    ...may("submission:grade"),
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
    summary: "Give up one's claim of a submission",
    ...may("submission:grade"),
    params,
    ...noContent("It is not the caller's any more, if it was"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => grading.releaseSubmission(deps.db, actor, params.submission_id),
);

export const gradeSubmission = endpoint(
  {
    id: "gradeSubmission",
    method: "put",
    path: `${single}/grade`,
    summary: "Grade a submission by hand",
    description:
      "Over whatever grade it has. A graded submission completes its item. Where the item says `second_mark` it is the caller's mark, which others see when they have given theirs: of two that are the same that is the grade, else `agreed-grade` says it.",
    ...may("submission:grade"),
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
    summary: "Grade a submission by what its two marks come to",
    description:
      "Once both are in, by who has given one of them or may make grades final, and again over what was agreed upon.",
    ...may("submission:grade"),
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
    description: "Its owner sees the feedback at once. A grade that it had is taken back.",
    ...may("submission:grade"),
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
    summary: "Take the grade of an item's own grader",
    description:
      "Signed in place of a token, by the header `X-Grader-Signature: t=<milliseconds since 1970>,v1=<signature>`: the HMAC-SHA256 of `<t>.<submission_id>.<body>` in hexadecimal digits, with the secret of the item's grader. It holds for five minutes. The same once more changes nothing, and a grade by hand stands. 403 for the work of someone who has read the secret, until it is renewed.",
    ...anyone,
    shares: "nothing",
    params,
    body: AutoGrade,
    ...ok(AutoGradeResult, "What became of it"),
    fails: [400, 401, 403, 404],
  },
  async ({ deps, params, body, http }) => {
    const call = {
      submissionId: params.submission_id,
      signature: http.req.header("x-grader-signature"),
      body: await http.req.text(),
    };
    return autoGrading.takeAutoGrade(deps.db, call, body, deps.config, deps.now());
  },
);

export const listFilesForGrader = endpoint(
  {
    id: "listFilesForGrader",
    method: "get",
    path: `${single}/auto-grade/files`,
    summary: "Read where an item's own grader reads the files of a submission",
    description:
      "Signed as its grades are, with an empty body: the HMAC-SHA256 of `<t>.<submission_id>.`. Those files that are READY, each with an address that holds for an hour and needs no token.",
    ...anyone,
    params,
    ...ok(GraderFiles, "The files, as they were handed in"),
    fails: [401, 503],
  },
  ({ deps, params, http }) => {
    const signature = http.req.header("x-grader-signature");
    const call = { submissionId: params.submission_id, signature, body: "" };
    return filesForGrader(deps, call, publicUrl(http, deps.config));
  },
);

export const getAutoGrader = endpoint(
  {
    id: "getAutoGrader",
    method: "get",
    path: `${assignment}/auto-grader`,
    writes: "audit",
    summary: "Read the secret with which an item's own grader signs, and who has read it",
    description: "The audit log is told who reads it.",
    ...may("auto-grader:read"),
    params: ofAssignment,
    ...ok(AutoGrader, "The secret"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    autoGrading.getAutoGrader(deps.db, actor, itemAt(params), deps.config.SECRET_KEY, deps.now()),
);

export const renewAutoGrader = endpoint(
  {
    id: "renewAutoGrader",
    method: "post",
    path: `${assignment}/auto-grader/renew`,
    summary: "Give an item's own grader another secret",
    description:
      "What is signed with the former one is refused from then on: renew it when someone who has read it may not any more. The audit log is told.",
    ...may("auto-grader:renew"),
    params: ofAssignment,
    ...ok(AutoGrader, "The new secret"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) =>
    autoGrading.renewAutoGrader(deps.db, actor, itemAt(params), deps.config.SECRET_KEY, deps.now()),
);

export const listSubmissionOverrides = endpoint(
  {
    id: "listSubmissionOverrides",
    method: "get",
    path: `${assignment}/overrides`,
    summary: "List what people are granted in a lab or an assignment",
    ...may("submission:grade"),
    params: ofAssignment,
    query: z.object(pagination),
    ...ok(listOf(SubmissionOverride), "Overrides by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => overrides.listOverrides(deps.db, actor, "work", itemAt(params), query),
);

export const grantSubmissionOverride = endpoint(
  {
    id: "grantSubmissionOverride",
    method: "put",
    path: `${assignment}/overrides/{user_id}`,
    summary: "Grant a learner more attempts or another date in a lab or an assignment",
    description:
      "It holds for what is handed in from then on. Null is what the item says. Nobody grants themselves anything: 403.",
    ...may("submission:grade"),
    params: pathIds("offering_id", "assignment_id", "user_id"),
    body: SubmissionOverrideUpdate,
    ...ok(SubmissionOverride, "What the person is granted"),
    fails: [403, 404],
  },
  async ({ deps, actor, params, body }) => {
    const path = { ...itemAt(params), user_id: params.user_id };
    const granted = await overrides.grantOverride(deps.db, actor, "work", path, body, deps.now());
    const { time_limit_seconds: _, ...override } = granted;
    return override;
  },
);
