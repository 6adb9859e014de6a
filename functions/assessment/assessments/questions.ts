import * as questions from "../../../lib/assessment/questions.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  Question,
  QuestionCreate,
  QuestionQuery,
  QuestionUpdate,
  QuestionVersion,
  QuestionVersionQuery,
} from "../../../schema/api/assessment/questions.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const ofPool = "/question-pools/{question_pool_id}/questions";
const pool = pathIds("question_pool_id");
const single = "/questions/{question_id}";
const params = pathIds("question_id");

export const listQuestions = endpoint(
  {
    id: "listQuestions",
    method: "get",
    path: ofPool,
    summary: "List questions of a pool",
    ...permittedTo("question:read"),
    params: pool,
    query: QuestionQuery,
    ...ok(listOf(Question), "The matching questions with correct answers"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => questions.listQuestions(deps.db, actor, params.question_pool_id, query),
);

export const createQuestion = endpoint(
  {
    id: "createQuestion",
    method: "post",
    path: ofPool,
    summary: "Add a question to a pool",
    ...permittedTo("question:write"),
    params: pool,
    body: QuestionCreate,
    ...created(Question, "The new question"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => questions.createQuestion(deps.db, actor, params.question_pool_id, body),
);

export const getQuestion = endpoint(
  {
    id: "getQuestion",
    method: "get",
    path: single,
    summary: "Read a question",
    ...permittedTo("question:read"),
    params,
    ...ok(Question, "The question with its correct answer"),
    fails: [404],
  },
  ({ deps, actor, params }) => questions.getQuestion(deps.db, actor, params.question_id),
);

export const updateQuestion = endpoint(
  {
    id: "updateQuestion",
    method: "put",
    path: single,
    summary: "Update a question",
    description: "Changed content becomes a new version. Attempts keep the version that they drew.",
    ...permittedTo("question:write"),
    params,
    body: QuestionUpdate,
    ...ok(Question, "The updated question"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => questions.updateQuestion(deps.db, actor, params.question_id, body),
);

export const deleteQuestion = endpoint(
  {
    id: "deleteQuestion",
    method: "delete",
    path: single,
    summary: "Delete an unused question",
    description: "To retire a question that attempts have drawn, make it inactive.",
    ...permittedTo("question:write"),
    params,
    ...noContent("Deleted"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => questions.deleteQuestion(deps.db, actor, params.question_id),
);

export const listQuestionVersions = endpoint(
  {
    id: "listQuestionVersions",
    method: "get",
    path: `${single}/versions`,
    summary: "List versions of a question",
    ...permittedTo("question:read"),
    params,
    query: QuestionVersionQuery,
    ...ok(listOf(QuestionVersion), "Versions, newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => questions.listVersions(deps.db, actor, params.question_id, query),
);
