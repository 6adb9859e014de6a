import {
  attemptFromPoolCondition,
  readAfterClosingExpiredAttempts,
} from "../../../lib/assessment/close-expired-attempts.ts";
import * as exchange from "../../../lib/assessment/pool-exchange.ts";
import * as pools from "../../../lib/assessment/pools.ts";
import { readPoolQuestionStatistics } from "../../../lib/assessment/statistics.ts";
import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { ownDataOrPermitted, permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List question pools",
    description: "Pools of courses of which the caller is staff, and of their universities.",
    ...ownDataOrPermitted("question:read"),
    query: QuestionPoolQuery,
    ...ok(listOf(QuestionPool), "The matching pools"),
  },
  ({ deps, actor, query }) => pools.listPools(deps.db, actor, query),
);

export const createQuestionPool = endpoint(
  {
    id: "createQuestionPool",
    method: "post",
    path: all,
    summary: "Create a question pool",
    ...permittedTo("question:write"),
    body: QuestionPoolCreate,
    ...created(QuestionPool, "The new pool, of a university or a course"),
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
    ...permittedTo("question:read"),
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
    summary: "Update a question pool",
    ...permittedTo("question:write"),
    params,
    body: QuestionPoolUpdate,
    ...ok(QuestionPool, "The updated pool"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => pools.updatePool(deps.db, actor, params.question_pool_id, body),
);

export const deleteQuestionPool = endpoint(
  {
    id: "deleteQuestionPool",
    method: "delete",
    path: single,
    summary: "Delete an unused question pool",
    ...permittedTo("question:write"),
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
    summary: "Export questions as JSON",
    description: "An import accepts the returned `questions`.",
    ...permittedTo("question:read"),
    params,
    query: QuestionWindow,
    ...ok(QuestionExport, "A page of the pool's questions, without ids"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => exchange.exportPool(deps.db, actor, params.question_pool_id, query),
);

export const importQuestions = endpoint(
  {
    id: "importQuestions",
    method: "post",
    path: `${single}/import`,
    summary: "Import questions from JSON",
    description:
      "Adds all questions or, if one is invalid, none. Questions that the pool has already are skipped, " +
      "so an import can be repeated.",
    ...permittedTo("question:write"),
    params,
    body: QuestionImport,
    ...ok(QuestionImportResult, "The outcome for each question, in order"),
    fails: [400, 403, 404, 429, 503],
  },
  async ({ deps, actor, params, body: { questions, file_id, dry_run } }) => {
    const pool = params.question_pool_id;
    if (questions) return exchange.importQuestionsFromRequest(deps.db, actor, pool, { questions, dry_run });
    const { importQuestionsFromFile } = await import("../../../lib/assessment/questions-file.ts");
    const find = createImportFileFinder(deps, actor);
    return importQuestionsFromFile(deps.db, actor, pool, { file_id: file_id ?? 0, dry_run }, find);
  },
);

export const exportQuestionPoolAsQti = endpoint(
  {
    id: "exportQuestionPoolAsQti",
    method: "get",
    path: `${single}/export/qti`,
    summary: "Export questions as QTI",
    description:
      "A QTI 2.1 or 3.0 package with one item for each question, and its pictures as files. It can be imported " +
      "again.",
    ...permittedTo("question:read"),
    params,
    query: QtiQuery,
    ...ok(QtiExport, "A page of the pool's questions as a content package"),
    fails: [400, 404, 503],
  },
  async ({ deps, actor, params, query }) => {
    const { exportQti } = await qtiExchange();
    return exportQti(deps, actor, params.question_pool_id, query);
  },
);

export const importQuestionsFromQti = endpoint(
  {
    id: "importQuestionsFromQti",
    method: "post",
    path: `${single}/import/qti`,
    summary: "Import questions from files",
    description:
      "Reads QTI 1.2, 2 and 3, Moodle XML, GIFT and JSON, told apart by the content of the files. Supports " +
      "questions with one choice or one text or number entry. Others are reported with file, line and reason, and " +
      "nothing is imported from a file that is cut or malformed. Pictures in a package or in Moodle XML become files of the " +
      "questions. Questions that the pool has already are skipped, so an import can be repeated.",
    ...permittedTo("question:write"),
    params,
    body: QtiImport,
    ...ok(QtiImportResult, "The outcome for each question, in order"),
    fails: [400, 403, 404, 429, 503],
  },
  async ({ deps, actor, params, body }) => {
    const { importQuestionFiles } = await import("../../../lib/integrations/question-files/import-files.ts");
    return importQuestionFiles(
      deps,
      actor,
      params.question_pool_id,
      body,
      createImportFileFinder(deps, actor),
    );
  },
);

export const readQuestionStatistics = endpoint(
  {
    id: "readQuestionStatistics",
    method: "get",
    settles: "grades",
    path: `${single}/statistics`,
    summary: "Read question statistics",
    ...permittedTo("question:read"),
    params,
    query: QuestionWindow,
    ...ok(listOf(QuestionStatistics), "Statistics of drawn questions, by id and version"),
    fails: [404],
  },
  ({ deps, actor, params: { question_pool_id }, query }) =>
    readAfterClosingExpiredAttempts(deps.db, deps.now(), attemptFromPoolCondition(question_pool_id), () =>
      readPoolQuestionStatistics(deps.db, actor, question_pool_id, query),
    ),
);
