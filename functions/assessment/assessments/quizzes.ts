import * as z from "zod";
import * as overrides from "../../../lib/assessment/quiz-overrides.ts";
import * as regrading from "../../../lib/assessment/regrade.ts";
import * as previewing from "../../../lib/assessment/regrade-preview.ts";
import { listOfferingAccommodations as listAccommodationsThere } from "../../../lib/courses/offerings/accommodations.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { QuestionWindow } from "../../../schema/api/assessment/questions.ts";
import {
  QuestionThrowOut,
  QuizOverride,
  QuizOverrideUpdate,
  QuizQuestion,
  QuizRegrade,
  RegradePreview,
  RegradePreviewQuery,
} from "../../../schema/api/assessment/quiz-attempts.ts";
import { Accommodation, FewQuery } from "../../../schema/api/courses/accommodations.ts";
import { listOf, pagination, pathIds } from "../../../schema/api/platform/fields.ts";

const quiz = "/offerings/{offering_id}/quizzes/{content_item_id}";
const params = pathIds("offering_id", "content_item_id");

export const listQuizOverrides = endpoint(
  {
    id: "listQuizOverrides",
    method: "get",
    path: `${quiz}/overrides`,
    summary: "List overrides of a quiz",
    ...permittedTo("attempt:grade"),
    params,
    query: z.object(pagination),
    ...ok(listOf(QuizOverride), "Overrides, by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => overrides.listOverrides(deps.db, actor, "quiz", params, query),
);

export const listOfferingAccommodations = endpoint(
  {
    id: "listOfferingAccommodations",
    method: "get",
    path: "/offerings/{offering_id}/accommodations",
    summary: "List accommodations in an offering",
    description: "Accommodations granted by the university. All deadlines in the offering include them.",
    ...permittedTo("attempt:read"),
    params: pathIds("offering_id"),
    query: FewQuery,
    ...ok(listOf(Accommodation), "Accommodations, by person"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listAccommodationsThere(deps.db, actor, params.offering_id, query),
);

export const grantQuizOverride = endpoint(
  {
    id: "grantQuizOverride",
    method: "put",
    path: `${quiz}/overrides/{user_id}`,
    summary: "Grant a quiz override",
    description:
      "Grants a learner more time, more attempts or other dates. It also changes the deadline of an open " +
      "attempt. Null means the quiz's value. `max_attempts` applies in this offering, to all attempts " +
      "counted together. Returns 403 for the caller's own override.",
    ...permittedTo("attempt:grade"),
    params: pathIds("offering_id", "content_item_id", "user_id"),
    body: QuizOverrideUpdate,
    ...ok(QuizOverride, "The override"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    overrides.grantOverride(deps.db, actor, "quiz", params, body, deps.now()),
);

export const regradeQuiz = endpoint(
  {
    id: "regradeQuiz",
    method: "post",
    path: `${quiz}/regrade`,
    summary: "Regrade closed quiz attempts",
    description:
      "Grades with the current version of the drawn questions. Question texts and answers in the " +
      "attempts do not change. Skips the caller's own attempt.",
    ...permittedTo("attempt:grade"),
    params,
    ...ok(QuizRegrade, "The number of regraded attempts"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => regrading.regradeQuiz(deps.db, actor, params, deps.now()),
);

export const previewQuizRegrade = endpoint(
  {
    id: "previewQuizRegrade",
    method: "get",
    path: `${quiz}/regrade`,
    summary: "Preview a regrade",
    description:
      "Returns the attempts whose results a regrade would change, with both results. With " +
      "`question_id`, as if that question were thrown out or restored. Writes nothing.",
    ...permittedTo("attempt:grade"),
    params,
    query: RegradePreviewQuery,
    ...ok(RegradePreview, "The changes"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => previewing.previewRegrade(deps.db, actor, params, query, deps.now()),
);

export const listQuizQuestions = endpoint(
  {
    id: "listQuizQuestions",
    method: "get",
    path: `${quiz}/questions`,
    summary: "List questions that attempts drew",
    description: "In their current version, including thrown-out ones.",
    ...permittedTo("attempt:grade"),
    params,
    query: QuestionWindow,
    ...ok(listOf(QuizQuestion), "Questions, by id"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => previewing.listQuizQuestions(deps.db, actor, params, query),
);

export const throwOutQuestion = endpoint(
  {
    id: "throwOutQuestion",
    method: "put",
    path: `${quiz}/questions/{question_id}/thrown-out`,
    summary: "Throw out a question",
    description:
      "Gives all attempts at the quiz in this offering the question's points, or removes it from " +
      "their total, and regrades them. Later attempts are graded the same way. Quizzes still draw " +
      "the question until it is inactive. Null restores the question.",
    ...permittedTo("attempt:grade"),
    params: pathIds("offering_id", "content_item_id", "question_id"),
    body: QuestionThrowOut,
    ...ok(QuizRegrade, "The number of regraded attempts"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) =>
    regrading.throwOutOrRestoreQuestion(deps.db, actor, params, body, deps.now()),
);
