import { asc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  QuestionCreate,
  QuestionExport,
  QuestionImportResult,
} from "../../schema/api/assessment/questions.ts";
import type { Window } from "../../schema/api/platform/fields.ts";
import { questionPools, questions } from "../../schema/db/assessment/questions.ts";
import { notFound, ValidationError } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { rowsOf, typedSql } from "../platform/db/query/rows.ts";
import { canonicalJson } from "../platform/text/canonical-json.ts";
import { findLostCharacters } from "../platform/validation/unstorable.ts";
import { explainPoolRefusal, permittedPoolCondition } from "./pools.ts";
import { ensurePicturesUsable } from "./question-pictures.ts";
import { toStoredQuestion } from "./questions.ts";

/** In the import format; 404 if the caller cannot read the pool. */
export async function exportPool(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  { skip, limit }: Window,
): Promise<QuestionExport> {
  const { kind, question_text, options_json: options, answer_json: answer, explanation } = questions;
  const { points, scoring, is_active } = questions;
  const listed = db
    .select({ kind, question_text, options, answer, explanation, points, scoring, is_active })
    .from(questions)
    .where(eq(questions.question_pool_id, questionPools.id))
    .orderBy(asc(questions.id))
    .offset(skip)
    .limit(limit)
    .as("listed");
  const rows = await db
    .select({
      title: questionPools.title,
      description: questionPools.description,
      total: typedSql(z.int())`(
        select count(*)::int from questions where question_pool_id = question_pools.id)`,
      listed: listed._.selectedFields,
    })
    .from(questionPools)
    .leftJoinLateral(listed, sql`true`)
    .where(permittedPoolCondition(actor, "question:read", poolId));
  const [pool] = rows;
  if (!pool) throw notFound("Question pool");
  const { title, description, total } = pool;
  return { title, description, questions: rows.flatMap((row) => row.listed ?? []), total };
}

/** As `importQuestions`. Returns 422 for questions with a lost character. */
export function importQuestionsFromRequest(
  db: Db,
  actor: Actor,
  poolId: number,
  given: { questions: QuestionCreate[]; dry_run: boolean },
): Promise<QuestionImportResult> {
  const issues = findLostCharacters("body", { questions: given.questions });
  if (issues.length > 0) throw new ValidationError(issues);
  return importQuestions(db, actor, poolId, given);
}

const Imported = z.object({ question_id: z.int().nullable(), is_new: z.boolean() });

/**
 * Adds all questions or none. Skips duplicates. A dry run writes nothing. 404, or 403 if the caller may only
 * read the pool.
 */
export async function importQuestions(
  db: Db,
  actor: Actor,
  poolId: number,
  { questions: given, dry_run }: { questions: QuestionCreate[]; dry_run: boolean },
): Promise<QuestionImportResult> {
  await ensurePicturesUsable(db, actor, poolId, given);
  const stored = given.map((question) => ({ ...toStoredQuestion(question), is_active: question.is_active }));
  const positions = new Map<string, number>();
  const sameAs = stored.map(({ is_active: _, ...asked }, at) => {
    const text = canonicalJson(asked);
    if (!positions.has(text)) positions.set(text, at);
    return positions.get(text) ?? at;
  });
  const distinct = stored.filter((_, at) => sameAs[at] === at);
  const imported = await rowsOf(
    db,
    Imported,
    sql`
      with permitted as materialized (
        select id from question_pools where ${permittedPoolCondition(actor, "question:write", poolId)}
      )
      select imported.* from permitted
      cross join lateral import_questions(permitted.id, ${JSON.stringify(distinct)}::jsonb, ${dry_run}) as imported`,
  );
  if (imported.length === 0) return explainPoolRefusal(db, actor, poolId);
  const rows = new Map([...new Set(sameAs)].map((at, index) => [at, imported[index]]));
  const results = sameAs.map((first, at) => {
    const row = rows.get(first);
    const outcome = row?.is_new && first === at ? ("created" as const) : ("skipped" as const);
    return { outcome, question_id: row?.question_id ?? null };
  });
  const created = results.filter(({ outcome }) => outcome === "created").length;
  return { dry_run, read_as: null, created, skipped: results.length - created, results };
}
