import * as exchange from "../../../lib/assessment/pool-exchange.ts";
import * as pools from "../../../lib/assessment/pools.ts";
import { readStatistics } from "../../../lib/assessment/statistics.ts";
import { importFiles } from "../../../lib/files/import-files.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may, ownOr } from "../../../lib/identity/auth/guards.ts";
import { QtiExport, QtiImport, QtiImportResult, QtiQuery } from "../../../schema/api/assessment/qti.ts";
import {
  QuestionPool,
  QuestionPoolCreate,
  QuestionPoolQuery,
  QuestionPoolUpdate,
} from "../../../schema/api/assessment/question-pools.ts";
import {
  QuestionExport,
  QuestionImport,
  QuestionImportResult,
  QuestionStatistics,
  QuestionWindow,
} from "../../../schema/api/assessment/questions.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/question-pools";
const single = "/question-pools/{question_pool_id}";
const params = pathIds("question_pool_id");

/** Loaded on the first QTI request, which keeps the XML and archive libraries out of the cold start. */
const qtiExchange = () => import("../../../lib/assessment/qti/pool-exchange.ts");

export const listQuestionPools = endpoint(
  {
    id: "listQuestionPools",
    method: "get",
    path: all,
    summary: "List the question pools that one may read",
    description: "Those of the courses whose staff one is, and of their university.",
    ...ownOr("question:read"),
    query: QuestionPoolQuery,
    ...ok(listOf(QuestionPool), "The pools that are asked for"),
  },
  ({ deps, actor, query }) => pools.listPools(deps.db, actor, query),
);

export const createQuestionPool = endpoint(
  {
    id: "createQuestionPool",
    method: "post",
    path: all,
    summary: "Create a question pool of a university, or of one of its courses",
    ...may("question:write"),
    body: QuestionPoolCreate,
    ...created(QuestionPool, "The new pool"),
    fails: [400, 403],
  },
  ({ deps, actor, body }) => pools.createPool(deps.db, actor, body),
);

export const getQuestionPool = endpoint(
  {
    id: "getQuestionPool",
    method: "get",
    path: single,
    summary: "Read a question pool",
    ...may("question:read"),
    params,
    ...ok(QuestionPool, "The pool"),
    fails: [404],
  },
  ({ deps, actor, params }) => pools.getPool(deps.db, actor, params.question_pool_id),
);

export const updateQuestionPool = endpoint(
  {
    id: "updateQuestionPool",
    method: "put",
    path: single,
    summary: "Change a question pool's title or description",
    ...may("question:write"),
    params,
    body: QuestionPoolUpdate,
    ...ok(QuestionPool, "The changed pool"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => pools.updatePool(deps.db, actor, params.question_pool_id, body),
);

export const deleteQuestionPool = endpoint(
  {
    id: "deleteQuestionPool",
    method: "delete",
    path: single,
    summary: "Delete a question pool that no quiz names and no attempt drew from",
    ...may("question:write"),
    params,
    ...noContent("Deleted, with its questions"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => pools.deletePool(deps.db, actor, params.question_pool_id),
);

export const exportQuestionPool = endpoint(
  {
    id: "exportQuestionPool",
    method: "get",
    path: `${single}/export`,
    summary: "Export the questions of a pool as JSON",
    description: "What it answers as `questions`, an import takes.",
    ...may("question:read"),
    params,
    query: QuestionWindow,
    ...ok(QuestionExport, "A page of the pool's questions, without their ids"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => exchange.exportPool(deps.db, actor, params.question_pool_id, query),
);

export const importQuestions = endpoint(
  {
    id: "importQuestions",
    method: "post",
    path: `${single}/import`,
    summary: "Add questions to a pool from JSON",
    description:
      "All of them or, when one is faulty, none. What the pool has already is skipped, so that an import may be repeated.",
    ...may("question:write"),
    params,
    body: QuestionImport,
    ...ok(QuestionImportResult, "What became of each question, in their order"),
    fails: [400, 403, 404, 429, 503],
  },
  async ({ deps, actor, params, body: { questions, file_id, dry_run } }) => {
    const pool = params.question_pool_id;
    if (questions) return exchange.importQuestions(deps.db, actor, pool, { questions, dry_run });
    const { importQuestionsFromFile } = await import("../../../lib/assessment/questions-file.ts");
    const find = importFiles(deps, actor);
    return importQuestionsFromFile(deps.db, actor, pool, { file_id: file_id ?? 0, dry_run }, find);
  },
);

export const exportQuestionPoolAsQti = endpoint(
  {
    id: "exportQuestionPoolAsQti",
    method: "get",
    path: `${single}/export/qti`,
    summary: "Export the questions of a pool as a QTI package",
    description:
      "QTI 2.1 or 3.0, an item for each question. An import of the package takes the same questions.",
    ...may("question:read"),
    params,
    query: QtiQuery,
    ...ok(QtiExport, "A page of the pool's questions as a content package"),
    fails: [404],
  },
  async ({ deps, actor, params, query }) => {
    const { exportQti } = await qtiExchange();
    return exportQti(deps.db, actor, params.question_pool_id, query);
  },
);

export const importQuestionsFromQti = endpoint(
  {
    id: "importQuestionsFromQti",
    method: "post",
    path: `${single}/import/qti`,
    summary: "Add questions to a pool from QTI",
    description:
      "Items of QTI 2 and 3 with one choice or one entry of a text or number: those that are understood become questions, of the others the answer names what was not. What the pool has already is skipped, so that an import may be repeated.",
    ...may("question:write"),
    params,
    body: QtiImport,
    ...ok(QtiImportResult, "What became of each file, in their order"),
    fails: [400, 403, 404, 429, 503],
  },
  async ({ deps, actor, params, body }) => {
    const { importQti } = await qtiExchange();
    return importQti(deps.db, actor, params.question_pool_id, body, importFiles(deps, actor));
  },
);

export const readQuestionStatistics = endpoint(
  {
    id: "readQuestionStatistics",
    method: "get",
    path: `${single}/statistics`,
    summary: "Read how the questions of a pool turn out",
    ...may("question:read"),
    params,
    query: QuestionWindow,
    ...ok(listOf(QuestionStatistics), "The questions that were drawn, by id and version"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => readStatistics(deps.db, actor, params.question_pool_id, query),
);
