import * as attempts from "../../../lib/assessment/attempts.ts";
import { attemptsAtQuiz, attemptsOf, readSettled } from "../../../lib/assessment/settled.ts";
import * as taking from "../../../lib/assessment/take-attempt.ts";
import { createdOrFound, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Read how a quiz is for oneself, before one starts",
    description: "By what the quiz says and what one is granted there.",
    ...signedIn,
    params: quiz,
    ...ok(MyQuiz, "Attempts, time and dates, and whether one can start"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => taking.getMyQuiz(deps.db, actor, params, deps.now()),
);

export const startQuizAttempt = endpoint(
  {
    id: "startQuizAttempt",
    method: "post",
    path: ofQuiz,
    summary: "Start an attempt at a quiz",
    description:
      "Its questions, their order and its deadline are fixed then. While an attempt at an exam is open, the tutor of the course answers nothing. Attempts at an exam, or at a quiz that is part of a grade, are counted over all offerings of the course in the same term.",
    ...signedIn,
    params: quiz,
    ...createdOrFound(QuizAttemptDetail, "The new attempt", "The attempt that is open already"),
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
    summary: "List the attempts at a quiz in an offering",
    ...may("attempt:read"),
    params: quiz,
    query: QuizAttemptsQuery,
    ...ok(listOf(QuizAttemptOfPerson), "Attempts by id"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    readSettled(deps.db, deps.now(), attemptsAtQuiz(params), () =>
      attempts.listAttempts(deps.db, actor, params, query, deps.now()),
    ),
);

export const listMyQuizAttempts = endpoint(
  {
    id: "listMyQuizAttempts",
    method: "get",
    settles: "grades",
    path: "/my-attempts",
    summary: "List one's own attempts at quizzes",
    ...signedIn,
    query: MyQuizAttemptsQuery,
    ...ok(listOf(QuizAttempt), "Attempts, newest first"),
  },
  ({ deps, actor, query }) =>
    readSettled(deps.db, deps.now(), attemptsOf(actor.id), () =>
      attempts.listMyAttempts(deps.db, actor, query, deps.now()),
    ),
);

export const getQuizAttempt = endpoint(
  {
    id: "getQuizAttempt",
    method: "get",
    path: single,
    summary: "Read an attempt with its questions",
    description:
      "Right answers are shown to staff once it is over, to its taker when the quiz says so, and not while they could take it, or an exam or graded quiz of the same questions, for a grade.",
    ...ownOr("attempt:read"),
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
    description: "As often as they change. When its time is up, what was saved by then is graded.",
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
    summary: "Submit an attempt",
    description:
      "What was saved is graded, with the answers that come along. Submitting again changes nothing.",
    ...signedIn,
    params,
    body: QuizSubmission,
    ...ok(QuizAttemptDetail, "The attempt, graded"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    taking.submitAttempt(deps.db, actor, params.attempt_id, body, deps.now()),
);
