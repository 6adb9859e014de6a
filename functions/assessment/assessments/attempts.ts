import * as attempts from "../../../lib/assessment/attempts.ts";
import {
  attemptAtQuizCondition,
  attemptOfPersonCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import * as taking from "../../../lib/assessment/take-attempt.ts";
import { createdOrFound, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo, signedIn } from "../../../lib/identity/auth/guards.ts";
import {
  MyQuiz,
  MyQuizAttemptsQuery,
  QuizAttempt,
  QuizAttemptDetail,
  QuizAttemptOfPerson,
  QuizAttemptsQuery,
  QuizResponses,
  QuizSubmission,
} from "../../../schema/api/assessment/quiz-attempts.ts";
import { listOf, pathIds, pathWideIds } from "../../../schema/api/platform/fields.ts";

const ofQuiz = "/offerings/{offering_id}/quizzes/{content_item_id}/attempts";
const quiz = pathIds("offering_id", "content_item_id");
const single = "/attempts/{attempt_id}";
const params = pathWideIds("attempt_id");

export const getMyQuiz = endpoint(
  {
    id: "getMyQuiz",
    method: "get",
    path: "/offerings/{offering_id}/quizzes/{content_item_id}",
    summary: "Read a quiz before starting it",
    description: "Includes the caller's overrides and accommodations.",
    ...signedIn,
    params: quiz,
    ...ok(MyQuiz, "Attempts, time and dates, and whether the caller can start"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => taking.getMyQuiz(deps.db, actor, params, deps.now()),
);

export const startQuizAttempt = endpoint(
  {
    id: "startQuizAttempt",
    method: "post",
    path: ofQuiz,
    summary: "Start a quiz attempt",
    description:
      "Selects the questions, their order and the deadline, which stay fixed. While an attempt at an " +
      "exam is open, the course's tutor does not answer. Attempts at exams and graded quizzes count " +
      "across all offerings of the course in the same term.",
    ...signedIn,
    params: quiz,
    ...createdOrFound(QuizAttemptDetail, "The new attempt", "The attempt that is already open"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => taking.startAttempt(deps.db, actor, params, deps.now(), deps.config),
);

export const listQuizAttempts = endpoint(
  {
    id: "listQuizAttempts",
    method: "get",
    settles: "grades",
    path: ofQuiz,
    summary: "List attempts at a quiz",
    ...permittedTo("attempt:read"),
    params: quiz,
    query: QuizAttemptsQuery,
    ...ok(listOf(QuizAttemptOfPerson), "Attempts in the offering, by id"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    readAfterClosingExpiredAttempts(deps.db, deps.now(), attemptAtQuizCondition(params), () =>
      attempts.listAttempts(deps.db, actor, params, query, deps.now()),
    ),
);

export const listMyQuizAttempts = endpoint(
  {
    id: "listMyQuizAttempts",
    method: "get",
    settles: "grades",
    path: "/my-attempts",
    summary: "List the caller's quiz attempts",
    ...signedIn,
    query: MyQuizAttemptsQuery,
    ...ok(listOf(QuizAttempt), "Attempts, newest first"),
  },
  ({ deps, actor, query }) =>
    readAfterClosingExpiredAttempts(deps.db, deps.now(), attemptOfPersonCondition(actor.id), () =>
      attempts.listMyAttempts(deps.db, actor, query, deps.now()),
    ),
);

export const getQuizAttempt = endpoint(
  {
    id: "getQuizAttempt",
    method: "get",
    settles: "grades",
    path: single,
    summary: "Read a quiz attempt",
    description:
      "Correct answers are shown to staff once the attempt is over. The learner sees them if the " +
      "quiz allows it. They stay hidden while the learner can still take the quiz, or an exam or " +
      "graded quiz with the same questions, for a grade.",
    ...ownDataOrPermitted("attempt:read"),
    params,
    ...ok(QuizAttemptDetail, "The attempt"),
    fails: [404],
  },
  ({ deps, actor, params }) => attempts.getAttempt(deps.db, actor, params.attempt_id, deps.now()),
);

export const saveQuizResponses = endpoint(
  {
    id: "saveQuizResponses",
    method: "put",
    path: `${single}/responses`,
    summary: "Save answers to an open attempt",
    description: "Send it whenever answers change. When the time is up, the saved answers are graded.",
    ...signedIn,
    params,
    body: QuizResponses,
    ...ok(QuizAttempt, "The attempt"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    taking.saveResponses(deps.db, actor, params.attempt_id, body, deps.now()),
);

export const submitQuizAttempt = endpoint(
  {
    id: "submitQuizAttempt",
    method: "post",
    path: `${single}/submit`,
    summary: "Submit a quiz attempt",
    description: "Grades the saved answers and those in the request. Submitting again changes nothing.",
    ...signedIn,
    params,
    body: QuizSubmission,
    ...ok(QuizAttemptDetail, "The graded attempt"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    taking.submitAttempt(deps.db, actor, params.attempt_id, body, deps.now()),
);
