import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type Asked,
  issuesOfQuestion,
  type Question,
  type QuestionCreate,
  type QuestionQuery,
  type QuestionUpdate,
  type QuestionVersion,
} from "../../schema/api/assessment/questions.ts";
import type { Pagination } from "../../schema/api/platform/fields.ts";
import {
  type AnswerKey,
  questionPools,
  questions,
  questionVersions,
} from "../../schema/db/assessment/questions.ts";
import { poolPermissionCondition } from "../courses/question-pools.ts";
import { badRequest, forbidden, notFound, ValidationError } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { createPageQuery, createSortKey, descending } from "../platform/db/query/page.ts";
import { rowsDecodedByColumns, typedSql } from "../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../platform/db/query/search-and-sort.ts";
import type { ListPage } from "../platform/results/list-page.ts";
import { explainPoolRefusal, isStillReferencedError, permittedPoolCondition } from "./pools.ts";
import { ensurePicturesUsable } from "./question-pictures.ts";

const asked = {
  kind: questions.kind,
  question_text: questions.question_text,
  options: questions.options_json,
  answer: questions.answer_json,
  explanation: questions.explanation,
  points: questions.points,
  scoring: questions.scoring,
};

const questionColumns = {
  id: questions.id,
  question_pool_id: questions.question_pool_id,
  version: questions.version,
  ...asked,
  is_active: questions.is_active,
  created_at: questions.created_at,
  updated_at: questions.updated_at,
};

const sorts = {
  id: [],
  points: [createSortKey(sql`${questions.points}::float8`, "double precision")],
  updated_at: [questions.updated_at],
};

/** 404 if the caller cannot read the pool. */
export async function listQuestions(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  { q, kind, is_active, sort, ...window }: QuestionQuery,
): Promise<ListPage<Question>> {
  const page = createPageQuery(window, sortKeysForParameter(sort, sorts, questions.id));
  const wanted = and(
    eq(questions.question_pool_id, questionPools.id),
    containsAllWordsCondition(questions.search_text, q),
    kind ? eq(questions.kind, kind) : undefined,
    is_active === undefined ? undefined : eq(questions.is_active, is_active),
  );
  const listed = db
    .select({ ...questionColumns, page_key: page.key })
    .from(questions)
    .where(page.where(wanted))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(questionPools)
    .leftJoinLateral(listed, sql`true`)
    .where(permittedPoolCondition(actor, "question:read", poolId));
  if (rows.length === 0) throw notFound("Question pool");
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

/** 404 if the caller cannot read the pool. */
export async function getQuestion(db: ReadDb, actor: Actor, questionId: number): Promise<Question> {
  return (await readQuestion(db, actor, questionId)).question;
}

async function readQuestion(db: ReadDb, actor: Actor, questionId: number) {
  const [row] = await db
    .select({
      question: questionColumns,
      is_writable: typedSql(z.boolean())`${poolPermissionCondition(actor, "question:write")}`,
    })
    .from(questions)
    .innerJoin(questionPools, eq(questionPools.id, questions.question_pool_id))
    .where(and(eq(questions.id, questionId), poolPermissionCondition(actor, "question:read")));
  if (!row) throw notFound("Question");
  return row;
}

/** 404, or 403 if the caller may only read the pool. */
export async function createQuestion(
  db: Db,
  actor: Actor,
  poolId: number,
  input: QuestionCreate,
): Promise<Question> {
  await ensurePicturesUsable(db, actor, poolId, input);
  const { kind, question_text, options_json, answer_json, explanation, points, scoring } =
    toStoredQuestion(input);
  const statement = sql`
    insert into questions
      (question_pool_id, kind, question_text, options_json, answer_json, explanation, points, scoring, is_active)
    select question_pools.id, ${kind}, ${question_text}, ${jsonOf(options_json)}, ${jsonOf(answer_json)},
           ${explanation}, ${points}, ${scoring}, ${input.is_active}
    from question_pools where ${permittedPoolCondition(actor, "question:write", poolId)}
    returning questions.*, options_json as options, answer_json as answer`;
  const [question] = await rowsDecodedByColumns(db, questionColumns, statement);
  return question ?? explainPoolRefusal(db, actor, poolId);
}

const jsonOf = (value: object | null) => sql`${value && JSON.stringify(value)}::jsonb`;

/**
 * Absent fields keep their values. 422 if the result is incomplete. Creates a new version; attempts that drew
 * an older one keep it. 404, or 403 if the caller may only read the pool.
 */
export async function updateQuestion(
  db: Db,
  actor: Actor,
  questionId: number,
  change: QuestionUpdate,
): Promise<Question> {
  const { question, is_writable } = await readQuestion(db, actor, questionId);
  if (!is_writable) throw forbidden();
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const wanted: Question = { ...question, ...given };
  ensureConsistent(wanted);
  await ensurePicturesUsable(db, actor, question.question_pool_id, given);
  const { kind, ...stored } = toStoredQuestion(wanted);
  const [changed] = await db
    .update(questions)
    .set({ kind: wanted.kind, ...stored, is_active: wanted.is_active })
    .where(and(eq(questions.id, questionId), eq(questions.version, question.version)))
    .returning(questionColumns);
  // Another request changed the question first, so this one starts over.
  return changed ?? updateQuestion(db, actor, questionId, change);
}

function ensureConsistent(question: Asked): void {
  const faults = issuesOfQuestion(question);
  if (faults.length === 0) return;
  throw new ValidationError(
    faults.map(({ path, message }) => ({
      loc: ["body", ...path],
      msg: `Value error, ${message}`,
      type: "value_error",
    })),
  );
}

/** 400 if an attempt has drawn the question, which can be retired by making it inactive. */
export async function deleteQuestion(db: Db, actor: Actor, questionId: number): Promise<void> {
  const pool = sql`exists (select from question_pools
    where question_pools.id = ${questions.question_pool_id} and ${poolPermissionCondition(actor, "question:write")})`;
  const deleted = await db
    .delete(questions)
    .where(and(eq(questions.id, questionId), pool))
    .returning({ id: questions.id })
    .catch((error: unknown) => {
      throw isStillReferencedError(error) ? badRequest("question_in_use") : error;
    });
  if (deleted.length > 0) return;
  await getQuestion(db, actor, questionId);
  throw forbidden();
}

/** Newest first; 404 as `getQuestion`. */
export async function listVersions(
  db: ReadDb,
  actor: Actor,
  questionId: number,
  query: Pagination,
): Promise<ListPage<QuestionVersion>> {
  const { version, kind, question_text, options_json: options, answer_json: answer } = questionVersions;
  const { explanation, points, scoring, created_at } = questionVersions;
  const page = createPageQuery(query, [descending(version)]);
  const asked = { version, kind, question_text, options, answer, explanation, points, scoring, created_at };
  const listed = db
    .select({ ...asked, page_key: page.key })
    .from(questionVersions)
    .where(page.where(eq(questionVersions.question_id, questions.id)))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit)
    .as("listed");
  const rows = await db
    .select({ listed: listed._.selectedFields })
    .from(questions)
    .innerJoin(questionPools, eq(questionPools.id, questions.question_pool_id))
    .leftJoinLateral(listed, sql`true`)
    .where(and(eq(questions.id, questionId), poolPermissionCondition(actor, "question:read")));
  if (rows.length === 0) throw notFound("Question");
  return page.part(rows.flatMap((row) => row.listed ?? []));
}

const keysOf: Record<Asked["kind"], readonly (keyof AnswerKey)[]> = {
  SINGLE_CHOICE: ["option_id"],
  MULTIPLE_CHOICE: ["option_ids"],
  TRUE_FALSE: ["value"],
  NUMERIC: ["value", "tolerance"],
  SHORT_ANSWER: ["texts"],
};

/** Only its kind's answer keys, and options if it has any. */
export function toStoredQuestion(question: Asked) {
  const { kind, question_text, options, answer, explanation, points, scoring = "all_or_nothing" } = question;
  const counting = keysOf[kind].filter((key) => answer[key] !== undefined);
  return {
    kind: kind.toLowerCase(),
    question_text,
    options_json: options && options.length > 0 ? options : null,
    answer_json: Object.fromEntries(counting.map((key) => [key, answer[key]])) as AnswerKey,
    explanation: explanation ?? null,
    points,
    scoring,
  };
}
